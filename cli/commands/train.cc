// rota train APP --input=PATH --out=DIR: trains a model with processes on this machine, and those of --hosts.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/folders/fresh_folder.h"
#include "cli/launcher/progress.h"
#include "cli/launcher/run_job.h"
#include "core/base/files.h"
#include "core/checkpoint/model_reader.h"
#include "core/job/framework_options.h"
#include "core/job/input_files.h"
#include "core/job/job_options.h"
#include "core/job/packed_folder.h"
#include "core/job/plugin_host.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

void print_train_help(const Plugin* plugin) {
  std::vector<Option> job(job_options().begin(), job_options().end());
  const std::string epochs = plugin == nullptr ? "" : std::to_string(plugin->epochs);
  if (plugin != nullptr) {
    job = options_of_job(*plugin);
    job.resize(job_options().size());  // its own come last, and are shown below
    std::ranges::find(job, "epochs", &Option::name)->default_value = epochs;
  }
  std::printf("usage: rota train APP --input=PATH --out=DIR [flags]\n\nTrains a model.  The job:\n%s",
              describe(job).c_str());
  if (plugin != nullptr)
    std::printf("\nThe app %s: %s\n%s", std::string(plugin->name).c_str(), std::string(plugin->summary).c_str(),
                describe(plugin->options).c_str());
  std::printf("\n  --flagfile=FILE\n      Reads flags from a file, one a line.\n");
  std::printf("\nThe network:\n%s", describe(network_options()).c_str());
  if (plugin == nullptr) std::printf("\n`rota train APP --help` adds the app's own flags.\n");
}

Status check_job(const Options& options, const Plugin& plugin) {
  for (const char* needed : {"input", "out"})
    if (!options.has(needed)) return {ExitCode::usage, "--" + std::string(needed) + " is missing"};
  if (options.integer("schedulers") > 1 && !plugin.several_schedulers)
    return {ExitCode::usage, "--schedulers: the app " + std::string(plugin.name) + " has one"};
  ROTA_TRY(initial_model(plugin, options).status());
  if (plugin.check != nullptr) ROTA_TRY(call_hook(plugin.name, "check", "", [&] { plugin.check(options); }));
  ROTA_TRY(check_paths(options, plugin.options));
  if (is_packed_folder(fs::path(options.text("input")))) return check_packed(options, plugin);
  if (options.text("input") != "-") ROTA_TRY(data_files(options.text("input")).status());
  return options.has("valid") ? data_files(options.text("valid")).status() : Status();
}

// All that the command line names: files, folders, and texts that may be such.
std::vector<NamedPath> named_paths(const CommandLine& line, const Plugin& plugin) {
  std::vector<NamedPath> named;
  const auto add_all = [&](std::span<const Option> table) {
    for (const Option& option : table) {
      const std::string value(line.options.text(option.name)), by = "--" + std::string(option.name);
      if (value.empty() || option.name == "out") continue;
      if (option.kind != Option::Kind::path && option.kind != Option::Kind::text) continue;
      named.push_back({by, value});
      if (option.kind == Option::Kind::path) continue;
      for (std::string& part : input_parts(value)) named.push_back({by, std::move(part)});
      if (auto files = input_files(value); files.ok())
        for (std::string& file : *files) named.push_back({by, std::move(file)});
    }
  };
  add_all(job_options());
  add_all(network_options());
  add_all(plugin.options);
  for (const std::string& file : line.flagfiles) named.push_back({"--flagfile", file});
  for (const std::string& flag : line.log_flags)
    named.push_back({flag.substr(0, flag.find('=')), flag.substr(std::min(flag.find('='), flag.size() - 1) + 1)});
  return named;
}

// All roles read the input, each for itself, and a resumed run again; stdin is there once.
Status keep_stdin(const RunFolder& run) {
  ROTA_ASSIGN(const auto to, open_file(run.input(), O_WRONLY | O_CREAT | O_EXCL));
  const FileDescriptor from(::dup(STDIN_FILENO));
  std::array<std::byte, 65536> block{};
  std::size_t size = 0;
  do {
    ROTA_ASSIGN(const auto read, read_bytes(from, block, "stdin"));
    if (read == 0 && size == 0) return {ExitCode::no_input, "input -: stdin is empty"};
    size = read;
    if (const int error = write_all(to.get(), std::span(block).first(size)); error != 0)
      return cannot_write(run.input(), error);
  } while (size == block.size());
  return sync_file(run.input());
}

// Chooses --shards if the user does not.
Status take_shards(const Plugin& plugin, std::map<std::string, std::string, std::less<>>& values) {
  if (Options(values).integer("shards") == 0) {
    ROTA_ASSIGN(const auto job, make_job(Options(values)));
    ROTA_ASSIGN(const auto chosen, choose_shards(plugin, job));
    values["shards"] = std::to_string(chosen.shards);
    values["shards_from"] = chosen.from;
  }
  return check_numbers(Options(values));
}

}  // namespace

Status train_command(int argc, const char* const* argv) {
  ROTA_ASSIGN(auto parsed, parse_with_plugin(argc, argv, network_options(), AppFrom::positional));
  CommandLine& line = parsed.line;
  if (line.wish == CommandLine::Wish::help) return print_train_help(parsed.plugin), Status();
  tell_of_repeated(line);
  const Plugin& plugin = *parsed.plugin;
  ROTA_TRY(check_job(line.options, plugin));

  const RunFolder run{line.options.text("out")};
  auto values = line.options.all();
  const bool from_stdin = values["input"] == "-";
  // A fault of the data is reported after the folder is claimed.
  const Status chosen = from_stdin ? Status() : take_shards(plugin, values);
  if (chosen.code() == ExitCode::usage) return chosen;
  ROTA_ASSIGN(auto claim, fresh_folder(run, named_paths(line, plugin), from_stdin));
  ROTA_TRY(chosen);
  // What is in effect now: another build of the app may want another number when the run is resumed.
  if (line.options.integer("epochs") == 0) values["epochs"] = std::to_string(plugin.epochs);
  if (line.options.has("init_model")) {
    ROTA_ASSIGN(auto hash, hash_of_model(line.options.text("init_model")));
    values["init_hash"] = hash;
  }
  if (from_stdin) {
    ROTA_TRY(keep_stdin(run));
    values["input"] = run.input().string();
    ROTA_TRY(take_shards(plugin, values));
  }
  ROTA_ASSIGN(auto network, network_of(line.options, run));
  if (!network.machines.empty() && !line.given.contains("workers"))
    values["workers"] = std::to_string(std::min<std::int64_t>(static_cast<std::int64_t>(slots_of(network.machines)),
                                                              Options(values).integer("shards")));
  for (const Option& option : network_options()) values.erase(std::string(option.name));
  ROTA_TRY(write_flagfile(run.flags(), values));
  return run_job({run, Options(values), line.log_flags, false, std::move(network)}, plugin);
}

}  // namespace rota
