#include "tests/sim/cluster.h"

namespace rota::sim {

Job job_of(const Shape& shape) {
  std::map<std::string, std::string, std::less<>> options;
  for (const Option& option : shape.plugin->options) options.emplace(option.name, option.default_value);
  options["heavy"] = shape.heavy ? "true" : "false";
  options["pipeline"] = std::to_string(shape.pipeline);
  options["staleness"] = std::to_string(shape.staleness);
  for (const auto& [name, value] : shape.options) options[name] = value;
  Job job;
  job.options = Options(std::move(options));
  job.schedulers = shape.plan.schedulers;
  job.staleness = shape.staleness;
  job.pipeline = shape.pipeline;
  job.seed = shape.seed;
  job.shards = shape.plan.shards;
  job.slices = shape.plan.slices;
  job.input = shape.input;
  return job;
}

}  // namespace rota::sim
