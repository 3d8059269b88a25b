#include "core/base/option_value.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>

#include "rota/host_files.h"

namespace rota {

namespace {

std::string shown(double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  std::string plain(text, end);
  // Large bounds read better in full than as 2.147483647e+09.
  if (std::fabs(number) < 1e15 && std::trunc(number) == number)
    plain = std::to_string(static_cast<std::int64_t>(number));
  return plain;
}

Status wrong_value(const Option& option, std::string_view value, std::string_view expected) {
  std::string what = "--" + std::string(option.name) + "=" + std::string(value) + ": ";
  what += expected;
  const std::string bounds = shown_bounds(option);
  if (!bounds.empty()) what += ", " + bounds;
  if (!option.unit.empty() && option.kind != Option::Kind::choice) what += " (" + std::string(option.unit) + ")";
  return {ExitCode::usage, what};
}

template <typename T>
std::optional<T> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

bool within(const Option& option, double value) {
  return value >= option.least && value <= option.most;
}

std::optional<bool> truth_of(std::string_view text) {
  for (const std::string_view yes : {"true", "t", "1", "yes", "y"})
    if (text == yes) return true;
  for (const std::string_view no : {"false", "f", "0", "no", "n"})
    if (text == no) return false;
  return std::nullopt;
}

// Whether it is one of "this|that|other".
bool is_one_of(std::string_view value, std::string_view choices) {
  const std::string framed = "|" + std::string(choices) + "|";
  return value.find('|') == value.npos && framed.find("|" + std::string(value) + "|") != framed.npos;
}

}  // namespace

std::string shown_bounds(const Option& option) {
  const bool least = std::isfinite(option.least), most = std::isfinite(option.most);
  if (least && most) return shown(option.least) + " .. " + shown(option.most);
  if (least) return "at least " + shown(option.least);
  return most ? "at most " + shown(option.most) : "";
}

std::vector<IgnoredOption> ignored_options(std::span<const Option> table, const Options& options) {
  std::vector<IgnoredOption> ignored;
  for (const Option& option : table)
    if (option.needs.met != nullptr && options.text(option.name) != option.default_value && !option.needs.met(options))
      ignored.push_back({std::string(option.name), "it is for " + std::string(option.needs.text)});
  return ignored;
}

std::string absolute_path(std::string_view path) {
  if (is_remote(path)) return std::string(path);
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);
  return error ? std::string(path) : whole.lexically_normal().string();
}

Result<std::string> checked_value(const Option& option, std::string_view value) {
  switch (option.kind) {
    case Option::Kind::integer: {
      const auto number = number_of<std::int64_t>(value);
      if (!number || !within(option, static_cast<double>(*number)))
        return wrong_value(option, value, "must be a whole number");
      return std::to_string(*number);
    }
    case Option::Kind::real: {
      const auto number = number_of<double>(value);
      if (!number || !std::isfinite(*number) || !within(option, *number))
        return wrong_value(option, value, "must be a number");
      return std::string(value.substr(value.starts_with('+') ? 1 : 0));
    }
    case Option::Kind::flag: {
      const auto truth = truth_of(value);
      if (!truth) return wrong_value(option, value, "must be true or false");
      return std::string(*truth ? "true" : "false");
    }
    case Option::Kind::choice:
      if (!is_one_of(value, option.unit))
        return wrong_value(option, value, "must be one of " + std::string(option.unit));
      break;
    case Option::Kind::text:
    case Option::Kind::path:
      break;
  }
  return std::string(value);
}

}  // namespace rota
