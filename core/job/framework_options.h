// core/job/framework_options.h -- the framework's own options of a job, as they are declared, and what every job makes
// of them.
#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "core/base/option_value.h"
#include "core/job/option_declarations.h"
#include "rota/plugin.h"

namespace rota {

// Those that several commands have.
inline constexpr Option kInputOption = {
    .name = "input",
    .meaning =
        "Data: a file, a folder (the files right inside), a pattern, a URL (http, https, s3; s3://BUCKET/PREFIX/ is a "
        "folder), several of them separated by commas, or `-` for stdin."};
inline constexpr Option kValidOption = {.name = "valid",
                                        .meaning = "Held-out data to evaluate the model on: named as the input is."};
inline constexpr Option kShardsOption =
    integer_option("shards", "0", "shards", 0, 65'536,
                   "Parts of the data.  The model depends on it, not on workers and threads.  0: the app chooses, by "
                   "the data and not by the machine; 8 for processes that are started by hand.");
inline constexpr Option kPluginDirOption = {.name = "plugin_dir",
                                            .kind = Option::Kind::path,
                                            .meaning = "Folder to look for plugins in, instead of the installed one."};
inline constexpr Option kCoordinatorOption = {
    .name = "coordinator",
    .meaning =
        "Address of the coordinator: tcp://HOST:PORT, or ipc://PATH for processes that are started by hand. Port "
        "0: any that is free (it is in OUT/address). `rota train` without it uses private sockets of this machine."};
inline constexpr Option kHostOption = {
    .name = "host",
    .meaning =
        "For tcp: name or address at which others reach this machine; if not given, that of --coordinator for the "
        "coordinator, and for others the address from which they reach it."};
inline constexpr Option kBindOption = {
    .name = "bind",
    .meaning =
        "For tcp: where to listen, as HOST, HOST:PORT or * for all interfaces; if not given, the loopback address "
        "if that is the host, else *."};
inline constexpr Option kKeysOption = {
    .name = "keys",
    .kind = Option::Kind::path,
    .meaning =
        "For tcp: folder of the keys, which `rota keys` made. If not given, `rota` takes those of the run, "
        "OUT/keys, which `rota train` makes unless --insecure."};
inline constexpr Option kMetricsOption = {
    .name = "metrics",
    .meaning =
        "Serve the run's metrics for Prometheus, as http://HOST:PORT/metrics without keys: best at 127.0.0.1. Port 0: "
        "any that is free, which `rota status` shows."};
inline constexpr Option kOwnDiskOption = {
    .name = "own_disk",
    .kind = Option::Kind::path,
    .meaning =
        "For a worker or store whose machine does not see the coordinator's --out: the folder where it keeps its "
        "checkpoints, of this run alone. The coordinator gets a copy."};

// The same in all of a job's processes, and kept in flags.txt.  Those without a meaning are set by `rota train` or for
// tests, and not shown.
inline constexpr std::array kFrameworkOptions = {
    Option{.name = "app", .meaning = "The app: the name of an installed plugin, or the path of a .so or .py file."},
    kInputOption,
    kValidOption,
    Option{
        .name = "out", .kind = Option::Kind::path, .meaning = "Folder of the run: model, metrics, checkpoints, logs."},
    integer_option("workers", "2", "processes", 1, 10'000, "Worker processes; at most as many as shards."),
    integer_option("threads", "1", "threads", 1, 1024, "Threads of each worker."),
    integer_option("schedulers", "1", "processes", 1, 1024,
                   "Scheduler processes, each with its share of the keys, where the app allows it."),
    integer_option("stores", "0", "processes", 0, 10'000,
                   "rota-kvstore processes that hold the store; 0: it lives in the workers."),
    kShardsOption,
    Option{.name = "shards_from"},  // what --shards was chosen from
    integer_option(
        "slices_per_shard", "0", "slices", 0, 1024,
        "Slices of the model for each data shard, where the model is sliced: at least 2. 0: the app chooses; 2 "
        "for processes that are started by hand."),
    integer_option("partitions", "2", "partitions", 1, 65'536, "Parts of the store."),
    integer_option("epochs", "0", "epochs", 0, 1'000'000'000, "Most epochs to train; 0: the default of the app."),
    // The seed is hashed, so that any number will do; the upper bound is that of a double's whole numbers.
    integer_option("seed", "1", "", 0, 9'007'199'254'740'992,
                   "Seed of all random numbers: equal seeds give equal models."),
    integer_option("eval_every", "1", "epochs", 0, 1'000'000'000,
                   "Epochs between evaluations; 0: only after the last."),
    integer_option("patience", "0", "evaluations", 0, 1'000'000'000,
                   "Evaluations without a better score of held-out data that end the job, with the best epoch's model; "
                   "0: it does not end early."),
    integer_option("checkpoint_every", "1", "epochs", 0, 1'000'000'000,
                   "Epochs between checkpoints; 0: only after the last."),
    real_option(
        "checkpoint_seconds", "2", "s", 0, 1e9, "Least time between checkpoints; 0: no limit.",
        {"--checkpoint_every above 0", [](const Options& options) { return options.integer("checkpoint_every") > 0; }}),
    integer_option("pipeline", "0", "rounds", 0, 4096, "Rounds scheduled ahead of their feedback; 0: automatic."),
    integer_option("staleness", "0", "rounds", 0, 4096,
                   "Rounds that a push lags behind the commits; it sees exactly those before them."),
    Option{.name = "asynchronous",
           .kind = Option::Kind::flag,
           .default_value = "false",
           .meaning = "A push sees all commits that have arrived.  The run cannot be reproduced."},
    real_option(
        "step_budget_ms", "0", "ms", 0, 1e9,
        "Time control: longest time of a visit to a slice; 0: no limit.  Above 0 the run cannot be reproduced."),
    real_option("peer_timeout_seconds", "30", "s", 0.1, 1e6, "A process that shows no progress for this long is lost."),
    real_option("start_timeout_seconds", "60", "s", 0.1, 1e6,
                "Timeout for all processes to join, and for a coordinator that starts late."),
    Option{.name = "on_loss",
           .kind = Option::Kind::choice,
           .default_value = "restart",
           .unit = "restart|move|stop",
           .meaning = "When a process is lost: it is restarted, or the other workers take the shards of a worker; both "
                      "resume from the newest checkpoint. Or the run stops."},
    integer_option("min_workers", "1", "workers", 1, 10'000, "With fewer workers the run waits for others to join."),
    Option{.name = "rebalance",
           .kind = Option::Kind::flag,
           .default_value = "true",
           .meaning = "Shards move away from a worker that is slow for long."},
    integer_option("spares", "0", "processes", 0, 10'000, "Standby workers, each to replace a lost one."),
    real_option("rejoin_seconds", "60", "s", 0.1, 1e6,
                "Timeout for a lost process to be restarted, and for the others when the coordinator is lost."),
    Option{.name = "memory",
           .kind = Option::Kind::choice,
           .default_value = "checked",
           .unit = "checked|unchecked",
           .meaning = "Whether a job whose model is larger than the machine's memory is refused, or tried."},
    integer_option("max_message_mb", "64", "MB", 1, 65'536, ""),  // on the wire; larger ones travel in pieces
    Option{.name = "init_model",
           .kind = Option::Kind::path,
           .meaning = "Folder of a run or model of the same app to start from, if the app supports it."},
    Option{.name = "init_hash"},  // the model_hash of --init_model's model
    Option{.name = "insecure",
           .kind = Option::Kind::flag,
           .default_value = "false",
           .meaning = "Allow tcp without keys, for a trusted network."},
    kPluginDirOption,
};

// All options of an app's job: the framework's, with the app's conditions for them, and its own.
inline std::vector<Option> options_of_job(const Plugin& plugin) {
  std::vector<Option> all(kFrameworkOptions.begin(), kFrameworkOptions.end());
  for (Option& option : all) {
    for (const auto& [name, needs] : plugin.framework_needs)
      if (name == option.name) option.needs = needs;
    const bool of_slices = option.name == "slices_per_shard" || option.name == "step_budget_ms";
    if (of_slices && !plugin.sliced) option.needs = {"apps whose models have slices", never};
  }
  all.insert(all.end(), plugin.options.begin(), plugin.options.end());
  return all;
}

// Gives those that do not count their defaults, and returns them.  Calls the plugin's conditions, which may throw.
inline std::vector<IgnoredOption> reset_ignored(std::span<const Option> table, Options& options) {
  std::vector<IgnoredOption> ignored = ignored_options(table, options);
  auto values = options.all();
  for (const IgnoredOption& one : ignored)
    values[one.option] = std::ranges::find(table, one.option, &Option::name)->default_value;
  options = Options(std::move(values));
  return ignored;
}

// The numbers of the job that are not files.  The usual ones if --shards or --slices_per_shard is 0.
inline void set_numbers(const Options& options, Job& job) {
  const auto number = [&](std::string_view name) { return static_cast<std::uint32_t>(options.integer(name)); };
  job.seed = static_cast<std::uint64_t>(options.integer("seed"));
  job.shards = number("shards") == 0 ? kUsualShards : number("shards");
  job.slices = job.shards * (number("slices_per_shard") == 0 ? kUsualSlices : number("slices_per_shard"));
  job.schedulers = number("schedulers");
  job.staleness = number("staleness");
  job.pipeline = number("pipeline");
}

}  // namespace rota
