#include "core/base/json_text.h"

#include <charconv>

#include "core/base/hash.h"
#include "rota/utf8.h"

namespace rota {

namespace {

constexpr const char* kHex = "hex";
constexpr const char* kFormat = "format";
constexpr const char* kCheck = "check";
// Nothing that Rota writes is nested so deeply, and a deeper one could overflow the stack when it is written again.
constexpr int kDepthMost = 16;

// Over all fields but itself, in the order of their names.
std::string check_of(nlohmann::json object) {
  object.erase(kCheck);
  return hash128(json_text(object)).hex();
}

}  // namespace

nlohmann::ordered_json exact_text(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    digits += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return {{kHex, digits}};
}

std::optional<std::string> exact_text_of(const nlohmann::json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_object() || json.size() != 1 || !json.contains(kHex) || !json[kHex].is_string()) return std::nullopt;
  const auto& digits = json[kHex].get_ref<const std::string&>();
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string text;
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    unsigned char byte = 0;
    const char* const end = digits.data() + at + 2;
    if (const auto read = std::from_chars(digits.data() + at, end, byte, 16); read.ptr != end) return std::nullopt;
    text += static_cast<char>(byte);
  }
  return text;
}

double number_in(const nlohmann::json& object, const char* field, double otherwise) {
  const auto found = object.find(field);
  if (found == object.end()) return otherwise;
  if (found->is_number()) return found->get<double>();
  if (!found->is_string()) return otherwise;
  const auto& text = found->get_ref<const std::string&>();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? number : otherwise;
}

std::string text_in(const nlohmann::json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string seal(const nlohmann::ordered_json& object, unsigned format) {
  nlohmann::ordered_json sealed;
  sealed[kFormat] = format;
  for (const auto& [name, value] : object.items()) sealed[name] = value;
  sealed[kCheck] = check_of(nlohmann::json::parse(json_text(sealed)));
  return json_text(sealed, 2) + "\n";
}

Result<nlohmann::json> unseal(const std::string& text, unsigned format) {
  // What is too deep is left out, and then the checksum is wrong.
  const auto shallow = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) { return depth <= kDepthMost; };
  auto object = nlohmann::json::parse(text, shallow, false);
  if (!object.is_object()) return Status(ExitCode::disk, "damaged: it is no JSON object");
  const auto its = object.find(kFormat);
  if (its == object.end() || !its->is_number_unsigned()) return Status(ExitCode::disk, "damaged: it has no format");
  if (*its != format)
    return Status(ExitCode::wrong_version, "written by another version of Rota: format " + its->dump() +
                                               ", this one reads format " + std::to_string(format));
  const auto check = object.find(kCheck);
  if (check == object.end() || *check != check_of(object))
    return Status(ExitCode::disk, "damaged: its checksum is wrong");
  return object;
}

}  // namespace rota
