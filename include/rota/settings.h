// rota/settings.h -- an app's settings: one list of its options, which declares, explains, bounds and reads them.
//
//   struct Settings {
//     std::uint32_t clusters = 8;  // the value here is the default
//     Init init = Init::plusplus;
//     double tolerance = 1e-6;
//     void options(auto& list) {
//       list.number("clusters", clusters, "clusters", 1, 1e6, "Number of clusters, K.");
//       list.choice("init", init, {{"plusplus", Init::plusplus}, {"random", Init::random}}, "The first centres.");
//       list.number("tolerance", tolerance, "", 0, 1, "...").needs = {"--init=random", is_random};
//     }
//   };
//
//   .options = declared_options<Settings>()          // of a Plugin or a Command
//   const auto settings = settings_of<Settings>(job.options);
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "rota/options.h"

namespace rota {

// Calls of Settings::options(list) make the declarations.
class OptionDeclarations {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T> Option& number(std::string_view name, const T& value, std::string_view unit,
                                                  double least, double most, std::string_view meaning) {
    char digits[32];
    std::string text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    if (const std::size_t zero = text.find("e-0"); zero != text.npos) text.erase(zero + 2, 1);  // 1e-6, not 1e-06
    Option& option =
        add(name, std::is_floating_point_v<T> ? Option::Kind::real : Option::Kind::integer, std::move(text), meaning);
    option.unit = unit;
    option.least = least;
    option.most = most;
    return option;
  }
  // One that has no value unless the user gives one.
  template <typename T>
  Option& number(std::string_view name, const std::optional<T>&, std::string_view unit, double least, double most,
                 std::string_view meaning) {
    Option& option = number(name, T{}, unit, least, most, meaning);
    option.default_value = {};
    return option;
  }
  Option& flag(std::string_view name, const bool& value, std::string_view meaning) {
    return add(name, Option::Kind::flag, value ? "true" : "false", meaning);
  }
  template <typename T>
  Option& choice(std::string_view name, const T& value,
                 std::initializer_list<std::pair<std::string_view, std::type_identity_t<T>>> words,
                 std::string_view meaning) {
    std::string chosen, all;
    for (const auto& [word, its] : words) {
      all += (all.empty() ? "" : "|") + std::string(word);
      if (its == value) chosen = word;
    }
    Option& option = add(name, Option::Kind::choice, chosen, meaning);
    option.unit = kept(all);
    return option;
  }
  Option& text(std::string_view name, const std::string& value, std::string_view meaning) {
    return add(name, Option::Kind::text, value, meaning);
  }
  Option& path(std::string_view name, const std::string& value, std::string_view meaning) {
    return add(name, Option::Kind::path, value, meaning);
  }
  // Settings that several structures share.
  void all_of(auto& shared) {
    const std::size_t first = options_.size();
    shared.options(*this);
    if constexpr (requires { shared.kAboutInput; })
      for (std::size_t i = first; i < options_.size(); ++i) options_[i].about_input = true;
  }

  OptionDeclarations() = default;
  OptionDeclarations(const OptionDeclarations&) = delete;
  OptionDeclarations& operator=(const OptionDeclarations&) = delete;
  std::span<const Option> get() const { return options_; }

 private:
  Option& add(std::string_view name, Option::Kind kind, std::string default_value, std::string_view meaning) {
    return options_.emplace_back(
        Option{.name = name, .kind = kind, .default_value = kept(std::move(default_value)), .meaning = meaning});
  }
  std::string_view kept(std::string text) { return texts_.emplace_back(std::move(text)); }

  std::vector<Option> options_;
  std::deque<std::string> texts_;  // which the options refer to
};

// The same calls read the values, which are checked against the declarations already.
class OptionReading {
 public:
  explicit OptionReading(const Options& options) : options_(options) {}

  template <typename T>
  requires std::is_arithmetic_v<T> Option& number(std::string_view name, T& value, std::string_view, double, double,
                                                  std::string_view) {
    const auto found = options_.all().find(name);
    if (found != options_.all().end() && found->second.empty()) return ignored_;  // no value, and no default
    if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(options_.real(name));
    else
      value = static_cast<T>(options_.integer(name));
    return ignored_;
  }
  template <typename T>
  Option& number(std::string_view name, std::optional<T>& value, std::string_view, double, double, std::string_view) {
    if (options_.has(name)) number(name, value.emplace(), {}, 0, 0, {});
    return ignored_;
  }
  Option& flag(std::string_view name, bool& value, std::string_view) {
    value = options_.flag(name);
    return ignored_;
  }
  template <typename T>
  Option& choice(std::string_view name, T& value,
                 std::initializer_list<std::pair<std::string_view, std::type_identity_t<T>>> words, std::string_view) {
    for (const auto& [word, its] : words)
      if (word == options_.text(name)) value = its;
    return ignored_;
  }
  Option& text(std::string_view name, std::string& value, std::string_view) {
    value = options_.text(name);
    return ignored_;
  }
  Option& path(std::string_view name, std::string& value, std::string_view meaning) {
    return text(name, value, meaning);
  }
  void all_of(auto& shared) { shared.options(*this); }

 private:
  const Options& options_;
  Option ignored_;
};

// Made once in a process.
template <typename Settings>
std::span<const Option> declared_options() {
  static const struct Declared : OptionDeclarations {
    Declared() { Settings().options(static_cast<OptionDeclarations&>(*this)); }
  } declared;
  return declared.get();
}

// Throws std::invalid_argument for an option that was not declared.
template <typename Settings>
Settings settings_of(const Options& options) {
  Settings settings;
  OptionReading list(options);
  settings.options(list);
  return settings;
}

}  // namespace rota
