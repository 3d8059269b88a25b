// rota/io/json_text.h -- text as JSON.
#pragma once
#include <string>
#include <string_view>

namespace rota::io {

// A JSON string, with its quotation marks.  JSON is UTF-8: bytes that are not become U+FFFD.
std::string json_text(std::string_view text);

}  // namespace rota::io
