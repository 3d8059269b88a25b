// tests/unit/apps/linear_models/options_with.h -- the options of an app with their defaults, but for those that are
// given.
#pragma once
#include <map>
#include <string>

#include "rota/settings.h"

namespace rota::tests {

using Given = std::map<std::string, std::string, std::less<>>;

template <typename Settings>
Options options_with(const Given& given) {
  Given values;
  for (const Option& option : declared_options<Settings>()) values[std::string(option.name)] = option.default_value;
  for (const auto& [name, value] : given) values[name] = value;
  return Options(values);
}

}  // namespace rota::tests
