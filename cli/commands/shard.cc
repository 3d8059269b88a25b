// rota shard APP --input=PATH --shards=N --output=DIR: reads the input once, and writes a file for each data shard.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/folders/copy_stdin.h"
#include "cli/folders/packed_output.h"
#include "cli/launcher/progress.h"
#include "core/base/json_text.h"
#include "core/base/version.h"
#include "core/job/framework_options.h"
#include "core/job/hosted_app.h"
#include "core/job/input_files.h"
#include "core/job/job_options.h"
#include "core/job/plugin_host.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::array kShardOptions = {
    kInputOption,
    kValidOption,
    kShardsOption,
    Option{.name = "output",
           .kind = Option::Kind::path,
           .meaning = "Folder for the files: new, empty, or one that `rota shard` made."},
    kPluginDirOption,
    kProgressOption,
};

std::vector<Option> packed_options(const Plugin& plugin) {
  std::vector<Option> table;
  for (const Option& option : plugin.options)
    if (std::ranges::find(plugin.packed_options, option.name) != plugin.packed_options.end()) table.push_back(option);
  return table;
}

void print_shard_help(const Plugin* plugin, const CommandLine& line) {
  Help help{
      "rota shard " + (plugin == nullptr ? "APP" : std::string(plugin->name)) + " --input=PATH --output=DIR [flags]",
      "Reads the input once, all of it into memory, and writes a file for each data shard:\n"
      "`rota train APP --input=DIR` then trains the same model, and each worker opens only the files of its "
      "shards.",
      {{"", listed(kShardOptions)}}};
  if (plugin != nullptr)
    help.sections.push_back({"The app " + std::string(plugin->name) + ":", packed_options(*plugin)});
  print_help(help, line);
}

// The job that pack() sees: the data's options as given, all others as they are without being given.
Result<Job> job_of(const CommandLine& line, const Plugin& plugin, const std::string& app, const std::string& input) {
  std::map<std::string, std::string, std::less<>> values;
  for (const std::span<const Option> table : {job_options(), plugin.options})
    for (const Option& option : table) values[std::string(option.name)] = option.default_value;
  for (const auto& [name, value] : line.options.all())
    if (name != "output") values[name] = value;
  values["app"] = app;
  values["input"] = input;
  for (const char* const data : {"input", "valid"}) values[data] = absolute_input(values[data]);
  const Options options(std::move(values));
  if (plugin.check != nullptr) ROTA_TRY(call_hook(plugin.name, "check", "", [&] { plugin.check(options); }));
  ROTA_TRY(check_paths(options, plugin.options));
  // Data by shard is refused.
  if (is_packed_folder(fs::path(options.text("input")))) return data_files(options.text("input")).status();
  ROTA_ASSIGN(Job job, make_job(options));
  job.threads = std::max(1U, std::thread::hardware_concurrency());
  if (options.integer("shards") == 0) {
    ROTA_ASSIGN(const auto chosen, choose_shards(plugin, job, progress_form(options)));
    job.shards = chosen.shards;
  }
  return job;
}

Status check_given(const CommandLine& line) {
  ROTA_TRY(check_arguments(line, ""));
  for (const char* const needed : {"input", "output"})
    if (!line.options.has(needed)) return {ExitCode::usage, "--" + std::string(needed) + " is missing"};
  if (line.options.text("valid") == "-") return {ExitCode::usage, "--valid=-: held-out data is read from files"};
  return {};
}

std::uint64_t bytes_of(const std::vector<std::string>& files) {
  std::uint64_t bytes = 0;
  for (const std::string& file : files) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    if (!error) bytes += size;
  }
  return bytes;
}

Result<PackedIndex> write_shards(const Plugin& plugin, const Job& job, const fs::path& folder, Progress& progress) {
  const std::uint64_t bytes = bytes_of(job.input) + bytes_of(job.valid);
  const Busy busy(progress, "reading the input for its checksum", bytes);
  PackedIndex index;
  index.app = plugin.name;
  index.format = plugin.packed_format;
  index.rota = kVersion;
  for (const std::string_view name : plugin.packed_options) index.options[std::string(name)] = job.options.text(name);
  ROTA_ASSIGN(index.input, hash_inputs(job.input, job.options, plugin.options));
  ROTA_ASSIGN(index.valid, hash_inputs(job.valid));
  index.has_valid = !job.valid.empty();
  ROTA_ASSIGN(auto output, PackedOutput::open(folder, job.shards));
  progress.begin("sharding the input", bytes);
  auto hosted = host_app(plugin, job);
  const Status packed =
      !hosted.ok() ? hosted.status() : call_hook(plugin.name, "pack", "", [&] { (*hosted)->app->pack(output); });
  if (!packed.ok()) output.give_up();
  ROTA_TRY(output.status());
  ROTA_TRY(packed);
  return output.end(std::move(index));
}

}  // namespace

Result<ChosenShards> choose_shards(const Plugin& plugin, const Job& job, ProgressForm form) {
  constexpr std::uint32_t kMost = 65'536;  // that --shards takes
  ChosenShards chosen;
  if (plugin.choose_shards == nullptr) return chosen;
  ROTA_TRY(call_hook(plugin.name, "choose_shards", "", [&] { chosen = plugin.choose_shards(job); }));
  if (chosen.shards == 0 || chosen.shards > kMost)
    return Status(ExitCode::bug, "plugin " + std::string(plugin.name) + ": choose_shards chose " +
                                     std::to_string(chosen.shards) + ", and a job has 1 to " + std::to_string(kMost));
  if (!chosen.from.empty())
    Progress(form).say("rota: " + counted(chosen.shards, "shards") + ", chosen from " + chosen.from);
  return chosen;
}

Status shard_command(int argc, const char* const* argv) {
  CommandLine first;
  ROTA_ASSIGN(const auto plugin, app_argument(argc, argv, kShardOptions, "shard APP --input=PATH --output=DIR", first));
  if (first.wish == CommandLine::Wish::help) return print_shard_help(plugin, first), Status();
  if (plugin->packed_format == 0)
    return {ExitCode::usage, "the app " + std::string(plugin->name) + " has no data by shard"};
  const std::vector<Option> of_plugin = packed_options(*plugin);
  ROTA_ASSIGN(auto line, parse_flags(argc, argv, {{}, kShardOptions, of_plugin, false}));
  tell_of_repeated(line);
  ROTA_TRY(check_given(line));
  const fs::path folder(line.options.text("output"));
  const ProgressForm form = progress_form(line.options);
  Progress progress(form);
  std::string input(line.options.text("input"));
  const bool from_stdin = input == "-";
  FileDescriptor copy;  // of stdin, without a name, on the disk of the output
  if (from_stdin) {
    const Busy busy(progress, "copying stdin");
    ROTA_ASSIGN(copy, open_unnamed(folder));
    ROTA_TRY(copy_stdin(copy, folder));
    input = "/proc/self/fd/" + std::to_string(copy.get());
  }
  const auto named = [&](const Status& status) {
    std::string what = status.what();
    for (std::size_t at; from_stdin && (at = what.find(input)) != what.npos;) what.replace(at, input.size(), "stdin");
    return Status(status.code(), what);
  };
  const auto job = job_of(line, *plugin, first.positional.front(), input);
  if (!job.ok()) return named(job.status());
  const auto written = write_shards(*plugin, *job, folder, progress);
  if (!written.ok()) return named(written.status());
  const PackedIndex& index = *written;
  progress.end();
  std::uint64_t items = 0, bytes = index.common.bytes;
  for (const PackedIndex::Shard& shard : index.shards) items += shard.items, bytes += shard.file.bytes;
  if (form == ProgressForm::json) {
    nlohmann::ordered_json result = event_now("result");
    result["output"] = visible_text(folder.native());
    result["shards"] = index.shards.size();
    result["items"] = items;
    result["bytes"] = bytes;
    return std::printf("%s\n", json_text(result).c_str()), Status();
  }
  std::printf("%s, %llu %s, %llu bytes: %s\n",
              counted(static_cast<std::int64_t>(index.shards.size()), "shards").c_str(),
              static_cast<unsigned long long>(items), std::string(plugin->items).c_str(),
              static_cast<unsigned long long>(bytes), visible_text(folder.native()).c_str());
  return {};
}

}  // namespace rota
