// io/stop_words.h -- words without information about the topic of a text.
#pragma once
#include <string>
#include <unordered_set>

namespace rota::io {

// "english": a list of its function words, in lower case; "none" or "": none; anything else is a file with one or
// several words a line.  Throws NoInput or DataError.
std::unordered_set<std::string> stop_words(const std::string& which);

}  // namespace rota::io
