#include "core/job/job_config.h"

#include <algorithm>
#include <string_view>

#include "core/base/process_limits.h"
#include "core/job/framework_options.h"
#include "core/job/job_options.h"
#include "core/job/plugin_host.h"

namespace rota {

namespace {

// As counted in runs (16, and 6 for each process that it talks to), with what is kept from connections
// (connection_limit.h).
constexpr std::size_t kOwnDescriptors = 24;
constexpr std::int64_t kDescriptorsOfPeer = 8;

Nanoseconds seconds(const Options& options, std::string_view name) {
  return static_cast<Nanoseconds>(options.real(name) * static_cast<double>(kSecond));
}

OnLoss on_loss(const Options& options) {
  const std::string_view text = options.text("on_loss");
  return text == "move" ? OnLoss::move : text == "stop" ? OnLoss::stop : OnLoss::restart;
}

// The job's records are without the options of single processes.
Options without_role_options(const Options& options) {
  auto values = options.all();
  for (const Option& option : role_options()) values.erase(std::string(option.name));
  return Options(std::move(values));
}

// Workers that are reached over the network may be on machines of their own.
std::uint64_t memory_of_worker(const Options& options) {
  if (options.text("memory") == "unchecked") return 0;
  const bool on_this_machine = options.text("coordinator").starts_with("ipc:");
  return memory_for_each(static_cast<std::uint64_t>(on_this_machine ? options.integer("workers") : 1));
}

// Of processes that are started by hand.
CommandLine with_shards(CommandLine line) {
  if (line.options.integer("shards") > 0) return line;
  auto values = line.options.all();
  values["shards"] = std::to_string(kUsualShards);
  line.options = Options(std::move(values));
  return line;
}

}  // namespace

std::size_t descriptors_needed(const Options& options) {
  std::int64_t others = 0;
  for (const char* const role : {"workers", "spares", "schedulers", "stores"}) others += options.integer(role);
  // A process that reads the model opens the files of all partitions.
  return kOwnDescriptors +
         static_cast<std::size_t>(std::max(kDescriptorsOfPeer * others, options.integer("partitions")));
}

Result<JobConfig> job_config(const CommandLine& given, bool read_input, const Plugin* plugin) {
  const CommandLine line = with_shards(given);
  Options options = line.options;
  ROTA_TRY(check_numbers(options));
  std::vector<IgnoredOption> ignored;
  if (plugin != nullptr)
    ROTA_TRY(call_hook(plugin->name, "needs", "", [&] { ignored = reset_ignored(options_of_job(*plugin), options); }));
  JobConfig config;
  if (read_input) {
    ROTA_ASSIGN(config, make_job(options));
  } else {
    set_numbers(options, config);
  }
  config.ignored = std::move(ignored);
  config.options = without_role_options(options);
  config.memory = memory_of_worker(options);

  const auto number = [&](std::string_view name) { return static_cast<std::uint32_t>(options.integer(name)); };
  config.hash = hash128(job_identity(line));
  config.app = options.text("app");
  config.run = {options.text("out")};
  config.workers = number("workers");
  config.threads = number("threads");
  config.stores = number("stores");
  config.partitions = number("partitions");
  config.epochs = number("epochs");
  config.eval_every = number("eval_every");
  config.checkpoint_every = number("checkpoint_every");
  config.checkpoint_spacing = seconds(options, "checkpoint_seconds");
  config.patience = number("patience");
  config.asynchronous = options.flag("asynchronous");
  config.step_budget = seconds(options, "step_budget_ms") / 1000;
  config.on_loss = on_loss(options);
  config.min_workers = number("min_workers");
  config.rebalance = options.flag("rebalance") && config.on_loss != OnLoss::stop;
  config.peer_timeout = seconds(options, "peer_timeout_seconds");
  config.start_timeout = seconds(options, "start_timeout_seconds");
  config.rejoin_timeout = seconds(options, "rejoin_seconds");
  config.message_bytes_max = static_cast<std::size_t>(options.integer("max_message_mb")) << 20;

  if (options.has("index")) config.index = number("index");
  config.coordinator = options.text("coordinator");
  config.host = options.text("host");
  config.bind = options.text("bind");
  config.keys = options.text("keys");
  config.insecure = options.flag("insecure");
  config.joins = options.text("joins");
  config.own_disk = options.text("own_disk");
  return config;
}

}  // namespace rota
