// core/job/option_declarations.h -- short declarations of the framework's own options.
#pragma once
#include <string_view>

#include "rota/options.h"

namespace rota {

// Declarations of numbers, in one line.
constexpr Option integer_option(std::string_view name, std::string_view default_value, std::string_view unit,
                                double least, double most, std::string_view meaning, Needs needs = {}) {
  return {.name = name,
          .kind = Option::Kind::integer,
          .default_value = default_value,
          .unit = unit,
          .meaning = meaning,
          .least = least,
          .most = most,
          .needs = needs};
}
constexpr Option real_option(std::string_view name, std::string_view default_value, std::string_view unit, double least,
                             double most, std::string_view meaning, Needs needs = {}) {
  return {.name = name,
          .kind = Option::Kind::real,
          .default_value = default_value,
          .unit = unit,
          .meaning = meaning,
          .least = least,
          .most = most,
          .needs = needs};
}

// A shared declaration with its own condition.
constexpr Option with_needs(Option option, Needs needs) {
  option.needs = needs;
  return option;
}

}  // namespace rota
