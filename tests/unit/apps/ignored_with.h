// tests/unit/apps/ignored_with.h -- the options of an app that are ignored with others.
#pragma once
#include <set>
#include <string>

#include "rota/plugin.h"

namespace rota::tests {

// Of its own options and of the framework's that it has conditions for, for any values.
inline std::set<std::string> ignored_with(std::span<const Option> own, std::span<const FrameworkNeeds> framework,
                                          const Options& given) {
  std::set<std::string> names;
  for (const Option& option : own)
    if (option.needs.met != nullptr && !option.needs.met(given)) names.insert(std::string(option.name));
  for (const auto& [option, needs] : framework)
    if (!needs.met(given)) names.insert(std::string(option));
  return names;
}

}  // namespace rota::tests
