// A job of one partition, with the options of a test.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rota/plugin.h"

namespace rota::tests {

using Given = std::map<std::string, std::string>;

// With two slices of each shard, and the plugin's default options except for those given here; of the framework's,
// "schedulers" (1), "pipeline" (0: the schedule's) and "staleness" (0).
inline Job make_job(const Plugin& plugin, Given given, std::vector<std::string> input, std::uint32_t shards = 1,
                    std::vector<std::string> valid = {}) {
  std::map<std::string, std::string, std::less<>> values;
  for (const Option& option : plugin.options) values[std::string(option.name)] = option.default_value;
  for (auto& [name, value] : given) values[name] = value;
  Job job;
  job.options = Options(std::move(values));
  job.input = std::move(input);
  job.valid = std::move(valid);
  job.shards = shards;
  job.slices = 2 * shards;
  const auto number = [&](const char* name, std::uint32_t otherwise) {
    return job.options.has(name) ? static_cast<std::uint32_t>(job.options.integer(name)) : otherwise;
  };
  job.schedulers = number("schedulers", 1);
  job.staleness = number("staleness", 0);
  job.pipeline = number("pipeline", 0);
  return job;
}

}  // namespace rota::tests
