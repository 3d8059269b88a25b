#include "core/job/job_options.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>

#include "core/job/input_files.h"

namespace rota {

namespace {

using Kind = Option::Kind;

constexpr std::array kJobOptions = {
    Option{.name = "app", .meaning = "The app: the name of an installed plugin, or the path of a .so file."},
    Option{.name = "input",
           .meaning =
               "What to train on: a file, a folder, a pattern, several of them separated by commas, or - for stdin."},
    Option{.name = "valid", .meaning = "Held-out data to evaluate the model on: named as the input is."},
    Option{.name = "out", .kind = Kind::path, .meaning = "Folder of the run: model, metrics, checkpoints, logs."},
    integer_option("workers", "2", "processes", 1, 10'000, "Worker processes; at most as many as shards."),
    integer_option("threads", "1", "threads", 1, 1024, "Threads of each worker."),
    integer_option("schedulers", "1", "processes", 1, 1024,
                   "Scheduler processes, each with its share of the keys, where the app allows it."),
    integer_option("stores", "0", "processes", 0, 10'000,
                   "rota-kvstore processes that hold the store; 0: it lives in the workers."),
    integer_option("shards", "8", "shards", 1, 65'536,
                   "Parts of the data.  The model depends on it, not on workers and threads."),
    integer_option("slices_per_shard", "2", "slices", 2, 1024,
                   "Slices of the model for each data shard, where the model is sliced."),
    integer_option("partitions", "2", "partitions", 1, 65'536, "Parts of the store."),
    integer_option("epochs", "0", "epochs", 0, 1'000'000'000, "How long to train at most; 0: as the app says."),
    // The seed is hashed, so that any number will do; the upper bound is that of a double's whole numbers.
    integer_option("seed", "1", "", 0, 9'007'199'254'740'992,
                   "Seed of all random numbers: equal seeds give equal models."),
    integer_option("eval_every", "1", "epochs", 0, 1'000'000'000,
                   "Epochs between evaluations; 0: only after the last."),
    integer_option("checkpoint_every", "1", "epochs", 0, 1'000'000'000,
                   "Epochs between checkpoints; 0: only after the last."),
    real_option("checkpoint_seconds", "2", "s", 0, 1e9, "At least so long between checkpoints; 0: no limit."),
    integer_option("pipeline", "0", "rounds", 0, 4096, "Rounds scheduled ahead of their feedback; 0: automatic."),
    integer_option("staleness", "0", "rounds", 0, 4096,
                   "How many rounds a push may lag behind the commits; it sees exactly those before them."),
    Option{.name = "asynchronous",
           .kind = Kind::flag,
           .default_value = "false",
           .meaning = "A push sees whatever has come.  The run cannot be reproduced."},
    real_option("step_budget_ms", "0", "ms", 0, 1e9,
                "Time control: the most that a visit to a slice may last.  Above 0 the run cannot be reproduced."),
    real_option("peer_timeout_seconds", "30", "s", 0.1, 1e6, "A process without progress for so long is lost."),
    real_option("start_timeout_seconds", "60", "s", 0.1, 1e6,
                "How long to wait for all processes to join, and for a coordinator that starts late."),
    integer_option("max_message_mb", "64", "MB", 1, 65'536,
                   "The largest message on the wire. Larger ones travel in pieces, at any size."),
    Option{.name = "insecure",
           .kind = Kind::flag,
           .default_value = "false",
           .meaning = "Allow tcp without keys: for a network where everybody may be trusted."},
    Option{.name = "plugin_dir",
           .kind = Kind::path,
           .meaning = "Folder to look for plugins in, instead of the installed one."},
};

constexpr std::array kRoleOptions = {
    integer_option("index", "0", "", 0, 1'000'000, "Number of this process among those of its role, from 0."),
    Option{.name = "coordinator", .meaning = "Address of the coordinator: ipc://PATH or tcp://HOST:PORT."},
    Option{.name = "host",
           .default_value = "127.0.0.1",
           .meaning = "Name or address by which other processes reach this one, for tcp."},
    Option{.name = "resume",
           .kind = Kind::flag,
           .default_value = "false",
           .meaning = "Go on from the newest committed checkpoint in --out."},
    Option{.name = "log_dir", .kind = Kind::path, .meaning = "Folder for the log; OUT/log if not given."},
    Option{.name = "report",
           .kind = Kind::flag,
           .default_value = "false",
           .meaning = "Write what happens to stdout, as lines of JSON (the coordinator)."},
};

// Input and held-out data are not among them: what they contain counts, wherever it is (Loaded::input).
constexpr std::array<std::string_view, 10> kDecidesModel = {
    "app",        "seed",     "shards",    "slices_per_shard", "partitions",
    "schedulers", "pipeline", "staleness", "asynchronous",     "step_budget_ms"};

Status check_together(const Options& options) {
  const auto at_most = [&](const char* few, const char* many) {
    return options.integer(few) <= options.integer(many)
               ? Status()
               : Status(ExitCode::usage, "--" + std::string(few) + "=" + std::string(options.text(few)) +
                                             " is more than --" + many + "=" + std::string(options.text(many)));
  };
  ROTA_TRY(at_most("workers", "shards"));
  ROTA_TRY(at_most("stores", "partitions"));
  if (options.integer("shards") * options.integer("slices_per_shard") > std::numeric_limits<std::int32_t>::max())
    return {ExitCode::usage, "--shards times --slices_per_shard is too large"};
  return {};
}

}  // namespace

std::span<const Option> job_options() {
  return kJobOptions;
}
std::span<const Option> role_options() {
  return kRoleOptions;
}

bool decides_model(std::string_view name) {
  return std::find(kDecidesModel.begin(), kDecidesModel.end(), name) != kDecidesModel.end();
}

Result<CommandLine> parse_job_flags(int argc, const char* const* argv, const FlagTables& tables) {
  auto line = parse_flags(argc, argv, tables);
  if (!line.ok()) return line;
  auto values = line->options.all();
  for (const char* data : {"input", "valid"})
    if (auto& files = values[data]; !files.empty()) files = absolute_input(files);
  // A plugin named by its path must be found from any folder, as everything else.
  if (auto& app = values["app"]; app.ends_with(".so")) app = std::filesystem::absolute(app).lexically_normal().string();
  line->options = Options(std::move(values));
  if (line->wish == CommandLine::Wish::run) ROTA_TRY(check_together(line->options));
  return line;
}

void set_numbers(const Options& options, Job& job) {
  const auto number = [&](std::string_view name) { return static_cast<std::uint32_t>(options.integer(name)); };
  job.seed = static_cast<std::uint64_t>(options.integer("seed"));
  job.shards = number("shards");
  job.slices = job.shards * number("slices_per_shard");
  job.schedulers = number("schedulers");
  job.staleness = number("staleness");
  job.pipeline = number("pipeline");
}

Result<Job> make_job(const Options& options) {
  Job job;
  job.options = options;
  auto files = input_files(options.text("input"));
  if (!files.ok()) return std::move(files).status();
  job.input = std::move(files).value();
  if (options.has("valid")) {
    auto valid = input_files(options.text("valid"));
    if (!valid.ok()) return std::move(valid).status();
    job.valid = std::move(valid).value();
  }
  set_numbers(options, job);
  return job;
}

std::string job_identity(const CommandLine& line) {
  const auto in = [](std::span<const Option> table, std::string_view name) {
    return std::any_of(table.begin(), table.end(), [&](const Option& option) { return option.name == name; });
  };
  std::map<std::string_view, std::string_view> deciding;
  for (const auto& [name, value] : line.options.all())
    if (in(job_options(), name) && decides_model(name)) deciding[name] = value;
  for (const auto& [name, value] : line.given)
    if (!in(job_options(), name) && !in(role_options(), name)) deciding[name] = value;
  std::string text;
  for (const auto& [name, value] : deciding) text.append(name).append("=").append(value).append("\n");
  return text;
}

}  // namespace rota
