#include "core/job/job_options.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>

#include "core/job/framework_options.h"
#include "core/job/input_files.h"
#include "core/job/packed_folder.h"
#include "core/job/plugin_host.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

using Kind = Option::Kind;

constexpr std::array kRoleOptions = {
    integer_option("index", "0", "", 0, 1'000'000, "Number of this process among those of its role, from 0."),
    kCoordinatorOption,
    kHostOption,
    kBindOption,
    kKeysOption,
    kMetricsOption,
    Option{.name = "resume",
           .kind = Kind::flag,
           .default_value = "false",
           .meaning = "Resume from the newest committed checkpoint in --out."},
    Option{.name = "joins",
           .kind = Kind::choice,
           .default_value = "named",
           .unit = "named|new|spare",
           .meaning =
               "A worker that joins replaces the one of its number; or is one more; or is a standby that replaces "
               "a lost worker."},
    kOwnDiskOption,
    Option{.name = "log_dir", .kind = Kind::path, .meaning = "Folder for the log; OUT/log if not given."},
};

// Input, held-out data and initial model are not among them: their content counts, not where it is (Loaded::input).
constexpr std::array<std::string_view, 11> kDecidesModel = {
    "app",      "seed",      "shards",       "slices_per_shard", "partitions", "schedulers",
    "pipeline", "staleness", "asynchronous", "step_budget_ms",   "init_hash"};

// A job of few shards needs no --workers.
void lower_default_workers(CommandLine& line) {
  const std::int64_t shards = line.options.integer("shards");
  if (line.given.contains("workers") || shards == 0 || line.options.integer("workers") <= shards) return;
  auto values = line.options.all();
  values["workers"] = std::to_string(shards);
  line.options = Options(std::move(values));
}

}  // namespace

Status check_numbers(const Options& options) {
  const auto at_most = [&](const char* few, const char* many) {
    return options.integer(few) <= options.integer(many)
               ? Status()
               : Status(ExitCode::usage, "--" + std::string(few) + "=" + std::string(options.text(few)) +
                                             " is more than --" + many + "=" + std::string(options.text(many)));
  };
  if (options.integer("shards") > 0) {
    ROTA_TRY(at_most("workers", "shards"));
    ROTA_TRY(at_most("min_workers", "shards"));
  }
  ROTA_TRY(at_most("stores", "partitions"));
  if (options.integer("slices_per_shard") == 1) return {ExitCode::usage, "--slices_per_shard=1: at least 2 are needed"};
  if (options.integer("shards") * options.integer("slices_per_shard") > std::numeric_limits<std::int32_t>::max())
    return {ExitCode::usage, "--shards times --slices_per_shard is too large"};
  if (options.integer("patience") > 0 && !options.has("valid"))
    return {ExitCode::usage, "--patience needs held-out data: --valid"};
  if (options.integer("patience") > 0 && options.integer("eval_every") == 0)
    return {ExitCode::usage, "--patience needs evaluations: --eval_every"};
  return {};
}

std::span<const Option> job_options() {
  return kFrameworkOptions;
}
std::span<const Option> role_options() {
  return kRoleOptions;
}

Result<CommandLine> parse_job_flags(int argc, const char* const* argv, const FlagTables& tables) {
  ROTA_ASSIGN(auto line, parse_flags(argc, argv, tables));
  auto values = line.options.all();
  for (const char* data : {"input", "valid"})
    if (auto& files = values[data]; !files.empty()) files = absolute_input(files);
  // A plugin named by its path must be found from any folder, as everything else.
  if (auto& app = values["app"]; is_app_file(app)) app = std::filesystem::absolute(app).lexically_normal().string();
  line.options = Options(std::move(values));
  if (line.wish != CommandLine::Wish::run) return line;
  // Before anything is made: all processes of a job read them from its flags.txt.
  ROTA_TRY(check_carried(line.options.all()));
  ROTA_TRY(take_packed(line, tables));
  lower_default_workers(line);
  ROTA_TRY(check_numbers(line.options));
  return line;
}

Result<Job> make_job(const Options& options) {
  Job job;
  job.options = options;
  set_numbers(options, job);
  if (const fs::path folder(options.text("input")); is_packed_folder(folder)) {
    job.input = {(folder / kPackedIndex).string()};
    if (options.has("valid")) job.valid = job.input;
    return job;
  }
  ROTA_ASSIGN(job.input, data_files(options.text("input")));
  if (options.has("valid")) {
    ROTA_ASSIGN(job.valid, data_files(options.text("valid")));
  }
  return job;
}

std::string job_identity(const CommandLine& line) {
  const auto in = [](std::span<const Option> table, std::string_view name) {
    return std::ranges::find(table, name, &Option::name) != table.end();
  };
  std::map<std::string_view, std::string_view> deciding;
  for (const std::string_view name : kDecidesModel)
    if (const std::string_view value = line.options.text(name); !value.empty()) deciding[name] = value;
  for (const auto& [name, value] : line.given)
    if (!in(job_options(), name) && !in(role_options(), name)) deciding[name] = value;
  std::string text;
  for (const auto& [name, value] : deciding) text.append(name).append("=").append(value).append("\n");
  return text;
}

}  // namespace rota
