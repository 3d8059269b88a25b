// tests/unit/core/job/empty_app.h -- an app without shards, tables and a schedule, for tests that override some of it.
#pragma once

#include "rota/app.h"
#include "rota/plugin.h"

namespace rota::tests {

struct EmptyApp : App {
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId>, Random&) override { return {}; }
  std::vector<Table> tables(const Facts&) const override { return {}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override { return nullptr; }
};

// A plugin of nothing but this app.
template <typename A>
const Plugin& plugin_of(const char* name) {
  static const Plugin made = [name] {
    Plugin plugin;
    plugin.name = name;
    plugin.app = [](const Job&) -> std::unique_ptr<App> { return std::make_unique<A>(); };
    return plugin;
  }();
  return made;
}

}  // namespace rota::tests
