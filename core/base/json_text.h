// core/base/json_text.h -- text in JSON, which is UTF-8; users' paths, options and data need not be.  And JSON files
// that are believed: with the number of their format, and a checksum over their fields.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace rota {

// The JSON as text, whatever bytes its strings have: those that are no UTF-8 become U+FFFD.  `indent` < 0: on one line.
template <typename Json>
std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Text that a program will read back: a string or, if that cannot say it, {"hex": its bytes}.
nlohmann::ordered_json exact_text(std::string_view text);
// The text again; nothing if the JSON is something else.
std::optional<std::string> exact_text_of(const nlohmann::json& json);

// A field of an object, or `otherwise` if it is missing or of another type.  Numbers may be written as text.
double number_in(const nlohmann::json& object, const char* field, double otherwise = 0);
std::string text_in(const nlohmann::json& object, const char* field);

// The text of a file with the fields of `object` between its format and its checksum: a digit that changed on the disk
// still makes a number.
std::string seal(const nlohmann::ordered_json& object, unsigned format);

// The object in the text of such a file.  What was read is checked, not the text: the same fields laid out otherwise
// are as good.  ExitCode::disk if anything was changed, wrong_version if its format is another.
Result<nlohmann::json> unseal(const std::string& text, unsigned format);

}  // namespace rota
