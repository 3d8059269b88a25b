// rota train APP --input=PATH --out=DIR: trains a model with processes on this machine, and those of --hosts.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/folders/copy_stdin.h"
#include "cli/folders/fresh_folder.h"
#include "cli/launcher/batch_script.h"
#include "cli/launcher/progress.h"
#include "cli/launcher/run_job.h"
#include "cli/processes/parent_watch.h"
#include "core/base/files.h"
#include "core/base/trust.h"
#include "core/checkpoint/model_reader.h"
#include "core/job/framework_options.h"
#include "core/job/input_files.h"
#include "core/job/job_options.h"
#include "core/job/packed_folder.h"
#include "core/job/plugin_host.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

using Values = std::map<std::string, std::string, std::less<>>;

constexpr std::array kTrainOptions = {
    Option{.name = "continue",
           .kind = Option::Kind::flag,
           .default_value = "false",
           .meaning = "If --out holds a run of the same job, resume it.  Then one command line begins a run and "
                      "continues it, however often it is repeated."},
    Option{.name = "sbatch",
           .meaning =
               "Submit a job of Slurm that trains, with --continue: --sbatch; or --sbatch=FILE, write its script "
               "only.  It is queued again when it is preempted or its time is over, not when it is cancelled."},
    Option{.name = "sbatch_args",
           .meaning = "Options of sbatch for that job: '--nodes=4 --ntasks-per-node=2 --time=8:00:00 -A account'.",
           .needs = {"--sbatch", [](const Options& options) { return options.has("sbatch"); }}},
    kProgressOption,
};
// The parser's own, for --help.
constexpr Option kFlagfile{
    .name = "flagfile", .kind = Option::Kind::path, .meaning = "Reads flags from a file, one a line."};

}  // namespace

std::span<const Option> train_options() {
  return kTrainOptions;
}

Status check_options(const Options& options, const Plugin& plugin) {
  for (const char* needed : {"input", "out"})
    if (!options.has(needed)) return {ExitCode::usage, "--" + std::string(needed) + " is missing"};
  if (options.integer("schedulers") > 1 && !plugin.several_schedulers)
    return {ExitCode::usage, "--schedulers: the app " + std::string(plugin.name) + " has one"};
  if (plugin.check == nullptr) return {};
  return call_hook(plugin.name, "check", "", [&] { plugin.check(options); });
}

namespace {

std::vector<Option> own_options() {
  std::vector<Option> all(kTrainOptions.begin(), kTrainOptions.end());
  all.push_back(kParentOption);
  all.insert(all.end(), network_options().begin(), network_options().end());
  return all;
}

void print_train_help(const Plugin* plugin, const CommandLine& line) {
  Help help{.usage = "rota train " + (plugin == nullptr ? "APP" : std::string(plugin->name)) +
                     " --input=PATH --out=DIR [flags]",
            .about = "Trains a model.",
            .sections = {}};
  std::vector<Option> job = listed(job_options());
  const std::string epochs = plugin == nullptr ? "" : std::to_string(plugin->epochs);
  if (plugin != nullptr) {
    job = options_of_job(*plugin);
    job.resize(job_options().size());  // its own come last, and are shown below
    std::ranges::find(job, "epochs", &Option::name)->default_value = epochs;
  }
  help.sections.push_back({"The job:", std::move(job)});
  if (plugin != nullptr) {
    help.about += "  " + std::string(plugin->name) + ": " + std::string(plugin->summary) + ".";
    std::vector<Option> own = listed(plugin->options), of_input;
    std::ranges::copy_if(own, std::back_inserter(of_input), &Option::about_input);
    std::erase_if(own, [](const Option& option) { return option.about_input; });
    help.sections.push_back({"The app " + std::string(plugin->name) + ":", std::move(own)});
    if (!of_input.empty()) help.sections.push_back({"Its input:", std::move(of_input)});
  } else {
    help.end = "`rota train APP --help` adds the app's own flags.";
  }
  std::vector<Option> own = listed(kTrainOptions);
  own.push_back(kParentOption);
  own.push_back(kFlagfile);
  help.sections.push_back({"This command:", std::move(own)});
  help.sections.push_back({"The network:", listed(network_options())});
  print_help(help, line);
}

Status check_job(const Options& options, const Plugin& plugin) {
  ROTA_TRY(check_options(options, plugin));
  ROTA_TRY(initial_model(plugin, options).status());
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
  ROTA_TRY(copy_stdin(to, run.input()));
  return sync_file(run.input());
}

// Chooses --shards if the user does not.
Status take_shards(const Plugin& plugin, Values& values) {
  if (Options(values).integer("shards") == 0) {
    ROTA_ASSIGN(const auto job, make_job(Options(values)));
    ROTA_ASSIGN(const auto chosen, choose_shards(plugin, job, progress_form(Options(values))));
    values["shards"] = std::to_string(chosen.shards);
    values["shards_from"] = chosen.from;
    if (Options(values).integer("workers") > chosen.shards) {
      values["workers"] = values["shards"];
      Progress(progress_form(Options(values)))
          .say("rota: " + counted(chosen.shards, "workers") + ", one for each shard");
    }
  }
  return check_numbers(Options(values));
}

bool holds_run(const RunFolder& run) {
  std::error_code error;
  return fs::exists(run.flags(), error) && (!run.epochs().empty() || fs::exists(run.result(), error));
}

// ExitCode::cannot_write if a run of these options is another than the one in the folder, naming the first difference.
Status check_same_job(const RunFolder& run, Values values) {
  for (const Option& option : own_options()) values.erase(std::string(option.name));
  const std::string flagfile = "--flagfile=" + run.flags().string(), out = "--out=" + run.path.string();
  const char* const words[] = {"train", flagfile.c_str(), out.c_str()};
  ROTA_ASSIGN(const auto begun, parse_with_plugin(3, words, own_options()));
  for (const auto& [name, value] : values) {
    const std::string_view its = begun.line.options.text(name);
    if (its == value || name == "out" || name == "shards_from" || may_change_on_resume(name)) continue;
    return {ExitCode::cannot_write, run.path.string() + " holds a run with --" + name + "=" + std::string(its) +
                                        ", and this one has --" + name + "=" + value +
                                        ": choose another --out, or the same options"};
  }
  return {};
}

// Resumes the run in --out with what this command line says of where it runs.
Status continue_run(const RunFolder& run, const CommandLine& line, Values values) {
  if (!line.given.contains("shards") && line.options.text("input") == "-") values.erase("shards");
  ROTA_TRY(check_same_job(run, std::move(values)));
  std::vector<std::string> words{"resume", run.path.string()};
  for (const auto& [name, value] : line.given)
    if ((may_change_on_resume(name) || name == "progress") && !(name == "input" && value == "-"))
      words.push_back("--" + name + "=" + value);
  words.insert(words.end(), line.log_flags.begin(), line.log_flags.end());
  const std::vector<const char*> argv = argv_of(words);
  return resume_command(static_cast<int>(argv.size()), argv.data());
}

// The job's options that follow from others: what is in effect now, because another build of the app may want another
// number of epochs or slices when the run is resumed.
Status complete_options(const CommandLine& line, const Plugin& plugin, Values& values) {
  if (line.options.integer("epochs") == 0) values["epochs"] = std::to_string(plugin.epochs);
  if (plugin.sliced && line.options.integer("slices_per_shard") == 0)
    values["slices_per_shard"] = std::to_string(plugin.slices_per_shard);
  if (!line.options.has("init_model")) return {};
  ROTA_ASSIGN(values["init_hash"], hash_of_model(line.options.text("init_model")));
  return {};
}

// The same command line in a batch script.
Status submit_job(const CommandLine& line, const Plugin& plugin) {
  if (line.options.text("input") == "-") return {ExitCode::usage, "--input=-: a job of Slurm reads files"};
  const RunFolder run{line.options.text("out")};
  // What would end the job is reported now.  The folder is made because the job's log is next to it.
  if (holds_run(run)) {
    Values values = line.options.all();
    ROTA_TRY(complete_options(line, plugin, values));
    if (!line.given.contains("shards")) values.erase("shards");
    ROTA_TRY(check_same_job(run, std::move(values)));
  } else if (std::error_code error;
             fs::exists(run.path, error) && !fs::is_empty(run.path, error) && !fs::exists(run.marker(), error)) {
    return {ExitCode::cannot_write, run.path.string() + " contains files not created by Rota: choose another --out"};
  }
  ROTA_TRY(make_folder(run.path));
  BatchJob job{.app = line.positional.front(),
               .command = {(program_folder() / "rota").string(), "train", line.positional.front(), "--continue"},
               .run = run,
               .arguments = std::string(line.options.text("sbatch_args"))};
  for (const auto& [name, value] : line.given) {
    if (name == "sbatch" || name == "sbatch_args" || name == "continue" || name == "app" || name == "parent") continue;
    // Paths as they are from everywhere.
    const std::string_view absolute = line.options.text(name);
    job.command.push_back("--" + name + "=" + (absolute.empty() ? value : std::string(absolute)));
  }
  job.command.insert(job.command.end(), line.log_flags.begin(), line.log_flags.end());
  ROTA_ASSIGN(const std::string script, batch_script(job));
  const std::string file(line.options.text("sbatch"));
  if (file == "-") {
    ROTA_TRY(submit(script));
    std::fprintf(stderr, "rota: the job writes into %s\n", visible_text(log_of(job)).c_str());
    return {};
  }
  ROTA_ASSIGN(const auto to, open_file(file, O_WRONLY | O_CREAT | O_EXCL));
  if (const int error = write_all(to.get(), std::as_bytes(std::span(script))); error != 0)
    return cannot_write(file, error);
  std::printf("%s: submit it with `sbatch %s`\n", visible_text(file).c_str(), visible_text(file).c_str());
  return {};
}

}  // namespace

Status train_command(int argc, const char* const* argv) {
  // --sbatch alone has no value that the next word could be.
  std::vector<const char*> words(argv, argv + argc);
  for (const char*& word : words)
    if (std::string_view(word) == "--sbatch") word = "--sbatch=-";
  ROTA_ASSIGN(auto parsed, parse_with_plugin(argc, words.data(), own_options(), AppFrom::positional));
  CommandLine& line = parsed.line;
  if (line.wish == CommandLine::Wish::help) return print_train_help(parsed.plugin, line), Status();
  tell_of_repeated(line);
  ROTA_TRY(watch_parent(line.options));
  const Plugin& plugin = *parsed.plugin;
  ROTA_TRY(check_job(line.options, plugin));

  if (line.options.has("sbatch")) return submit_job(line, plugin);
  const RunFolder run{line.options.text("out")};
  auto values = line.options.all();
  const bool from_stdin = values["input"] == "-";
  // A fault of the data is reported after the folder is claimed.
  const Status chosen = from_stdin ? Status() : take_shards(plugin, values);
  if (chosen.code() == ExitCode::usage) return chosen;
  ROTA_TRY(complete_options(line, plugin, values));
  if (line.options.flag("continue") && holds_run(run)) {
    ROTA_TRY(chosen);
    return continue_run(run, line, std::move(values));
  }
  ROTA_ASSIGN(auto claim, fresh_folder(run, named_paths(line, plugin), from_stdin));
  // Which is asked again when it is continued: too late for who has trained for hours.
  if (line.options.flag("continue")) ROTA_TRY(check_own(run.path).in("only your own runs can be continued"));
  ROTA_TRY(chosen);
  if (from_stdin) {
    {
      Progress progress(progress_form(line.options));
      const Busy busy(progress, "copying stdin");
      ROTA_TRY(keep_stdin(run));
    }
    values["input"] = run.input().string();
    ROTA_TRY(take_shards(plugin, values));
  }
  ROTA_ASSIGN(auto network, network_of(line, run));
  if (network.slots > 0 && !line.given.contains("workers"))
    values["workers"] = std::to_string(
        std::min<std::int64_t>(static_cast<std::int64_t>(network.slots), Options(values).integer("shards")));
  if (network.threads > 0 && !line.given.contains("threads")) values["threads"] = std::to_string(network.threads);
  for (const Option& option : own_options()) values.erase(std::string(option.name));
  ROTA_TRY(write_flagfile(run.flags(), values));
  return run_job({run, Options(values), line.log_flags, false, std::move(network), progress_form(line.options)},
                 plugin);
}

}  // namespace rota
