#include "core/base/json_text.h"

#include <charconv>

#include "rota/utf8.h"

namespace rota {

namespace {

constexpr const char* kHex = "hex";

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
  const auto hex = json.is_object() && json.size() == 1 ? json.find(kHex) : json.end();
  if (!json.is_object() || hex == json.end() || !hex->is_string()) return std::nullopt;
  const auto& digits = hex->get_ref<const std::string&>();
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

}  // namespace rota
