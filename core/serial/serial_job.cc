// core/serial/serial_job.cc -- the job of a serial host, from options as users give them.

#include <algorithm>

#include "core/base/option_value.h"
#include "core/job/framework_options.h"
#include "rota/testing/serial_host.h"

namespace rota {
Job serial_job(const Plugin& plugin, const std::map<std::string, std::string>& given, std::vector<std::string> input,
               std::vector<std::string> valid) {
  const std::vector<Option> options = options_of_job(plugin);
  std::map<std::string, std::string, std::less<>> values;
  for (const Option& option : options) values[std::string(option.name)] = option.default_value;
  for (const auto& [name, value] : given) {
    const auto option = std::ranges::find(options, name, &Option::name);
    if (option == options.end()) throw UsageError("there is no option --" + name);
    const Result<std::string> checked = checked_value(*option, value);
    if (!checked.ok()) throw UsageError(checked.status().what());
    const bool of_file = option->kind == Option::Kind::path && !value.empty() && !is_memory_name(value);
    values[name] = of_file ? absolute_path(*checked) : *checked;
  }
  values["app"] = plugin.name;
  // Apps see by the option that there is held-out data.
  std::string& held_out = values["valid"];
  if (held_out.empty())
    for (const std::string& file : valid) held_out += (held_out.empty() ? "" : ",") + file;

  Job job;
  job.options = Options(std::move(values));
  reset_ignored(options, job.options);
  set_numbers(job.options, job);
  job.input = std::move(input);
  job.valid = std::move(valid);
  for (auto* const files : {&job.input, &job.valid})
    for (std::string& file : *files)
      if (!is_memory_name(file)) file = absolute_path(file);
  if (job.options.integer("shards") == 0 && plugin.choose_shards != nullptr)
    job.shards = plugin.choose_shards(job).shards;
  const auto slices = static_cast<std::uint32_t>(job.options.integer("slices_per_shard"));
  job.slices = job.shards * (slices == 0 ? plugin.slices_per_shard : slices);
  if (job.schedulers > 1 && !plugin.several_schedulers)
    throw UsageError("the app " + std::string(plugin.name) + " has one scheduler");
  return job;
}

}  // namespace rota
