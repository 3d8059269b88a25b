#include "core/job/ignored_options.h"

#include <algorithm>
#include <string_view>

#include "core/job/job_options.h"
#include "core/job/plugin_host.h"

namespace rota {

namespace {

// What every app ignores that is as this one.
std::vector<Ignored> by_the_framework(const Plugin& plugin, const JobConfig& config) {
  std::vector<Ignored> ignored;
  if (!plugin.sliced)
    for (const char* name : {"slices_per_shard", "step_budget_ms"})
      ignored.push_back({name, "the models of " + std::string(plugin.name) + " have no slices"});
  if (config.checkpoint_every == 0)
    ignored.push_back({"checkpoint_seconds", "the only checkpoint is that of the end (--checkpoint_every=0)"});
  return ignored;
}

}  // namespace

std::vector<Ignored> only_set(std::vector<Ignored> ignored, const Options& options, std::span<const Option> table) {
  const auto is_set = [&](const Ignored& one) {
    return std::any_of(table.begin(), table.end(), [&](const Option& option) {
      return option.name == one.option && options.text(option.name) != option.default_value;
    });
  };
  std::erase_if(ignored, [&](const Ignored& one) { return !is_set(one); });
  return ignored;
}

Result<std::vector<Ignored>> drop_ignored(const Plugin& plugin, JobConfig& config) {
  std::vector<Ignored> all = by_the_framework(plugin, config);
  if (plugin.ignored != nullptr)
    ROTA_TRY(call_hook(plugin.name, "ignored", "", [&] {
      for (Ignored& one : plugin.ignored(config.options)) all.push_back(std::move(one));
    }));
  std::vector<Option> table(job_options().begin(), job_options().end());
  table.insert(table.end(), plugin.options.begin(), plugin.options.end());
  const std::vector<Ignored> dropped = only_set(std::move(all), config.options, table);
  auto values = config.options.all();
  for (const Ignored& one : dropped)
    values[one.option] = std::find_if(table.begin(), table.end(), [&](const Option& option) {
                           return option.name == one.option;
                         })->default_value;
  const auto is_dropped = [&](std::string_view name) {
    return std::any_of(dropped.begin(), dropped.end(), [&](const Ignored& one) { return one.option == name; });
  };
  if (is_dropped("asynchronous")) config.asynchronous = false;
  if (is_dropped("staleness")) config.staleness = 0;
  if (is_dropped("pipeline")) config.pipeline = 0;
  if (is_dropped("step_budget_ms")) config.step_budget = 0;
  if (is_dropped("slices_per_shard"))
    config.slices = config.shards * static_cast<std::uint32_t>(Options(values).integer("slices_per_shard"));
  config.options = Options(std::move(values));
  return dropped;
}

}  // namespace rota
