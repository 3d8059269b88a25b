// tests/sim/small_app.h -- the common base of the simulated plugins' apps.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rota/plugin.h"

namespace rota::sim {

template <typename ThePush, typename ThePull>
class SmallApp : public App {
 public:
  explicit SmallApp(const Job& job) : job_(job) {}
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    std::vector<std::unique_ptr<Push>> all;
    for (const ShardId shard : hosted) all.push_back(std::make_unique<ThePush>(job_, shard));
    return all;
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<ThePull>(); }

 protected:
  Job job_;
};

template <typename TheApp>
Plugin small_plugin(const char* name, std::span<const Option> options) {
  Plugin plugin;
  plugin.name = name;
  plugin.items = "items";
  plugin.options = options;
  plugin.app = [](const Job& job) -> std::unique_ptr<App> { return std::make_unique<TheApp>(job); };
  return plugin;
}

// Options of several of the plugins.
inline constexpr Option kPipeline{.name = "pipeline", .kind = Option::Kind::integer, .default_value = "1"};
inline constexpr Option kStaleness{.name = "staleness", .kind = Option::Kind::integer, .default_value = "0"};
inline constexpr Option kWish{.name = "wish", .kind = Option::Kind::integer, .default_value = "0"};
inline constexpr Option kAsynchronous{.name = "asynchronous", .kind = Option::Kind::flag, .default_value = "false"};

}  // namespace rota::sim
