// rota/io/json_text.h -- words as JSON.
#pragma once
#include <string>
#include <string_view>

namespace rota::io {

// A string of JSON, with its quotation marks.  JSON is UTF-8: bytes that are not become U+FFFD.
std::string json_text(std::string_view text);

}  // namespace rota::io
