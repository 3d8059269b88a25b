// apps/io/stop_words.h -- words that say nothing about what a text is about.
#pragma once
#include <string>
#include <unordered_set>

namespace rota::io {

// "english": a list of its function words, in lower case; "none" or "": none; anything else is a file with one word or
// several on a line.  Throws NoInput or DataError.
std::unordered_set<std::string> stop_words(const std::string& which);

}  // namespace rota::io
