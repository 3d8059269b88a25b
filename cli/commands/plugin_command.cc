// rota show|predict|... APP --model=DIR: the commands that plugins declare; and rota export.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <system_error>

#include "cli/commands/commands.h"
#include "cli/folders/result_file.h"
#include "cli/folders/text_form.h"
#include "cli/launcher/progress.h"
#include "cli/launcher/run_job.h"
#include "core/base/json_text.h"
#include "core/checkpoint/model_reader.h"
#include "core/job/framework_options.h"
#include "core/job/input_files.h"
#include "core/job/plugin_host.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::array kOwnOptions = {
    Option{.name = "model", .kind = Option::Kind::path, .meaning = "Folder of the run, or of its model."},
    kInputOption,
    Option{.name = "output", .kind = Option::Kind::path, .meaning = "File for the result, instead of stdout."},
    kPluginDirOption,
};

constexpr std::array kExportOptions = {
    Option{.name = "output", .kind = Option::Kind::path, .meaning = "A new folder, instead of the model's own."},
    Option{.name = "format",
           .kind = Option::Kind::choice,
           .default_value = "csv",
           .unit = "csv|json|npy|matrix_market",
           .meaning = "The format of the tables in --output."},
    kProgressOption,
};

io::TableFormat table_format(std::string_view name) {
  return name == "json"  ? io::TableFormat::json
         : name == "npy" ? io::TableFormat::npy
         : name == "csv" ? io::TableFormat::csv
                         : io::TableFormat::matrix_market;
}

bool declares(const Command& command, std::string_view option) {
  return std::ranges::find(command.options, option, &Option::name) != command.options.end();
}

// The flags of a command that are not also the plugin's, and that it has a use for.
std::vector<Option> own_options(const Command& command) {
  std::vector<Option> own;
  for (const Option& option : kOwnOptions) {
    if (option.name == "model" && !command.needs_model) continue;
    if (option.name == "input" && !command.takes_input) continue;
    if (!declares(command, option.name)) own.push_back(option);
  }
  return own;
}

const Command* find_command(const Plugin& plugin, std::string_view name) {
  const auto found = std::ranges::find(plugin.commands, name, &Command::name);
  return found == plugin.commands.end() ? nullptr : &*found;
}

Status no_command(const Plugin& plugin, const std::string& name) {
  std::vector<std::string> names{"train", "export"};
  for (const Command& command : plugin.commands) names.emplace_back(command.name);
  return {ExitCode::usage, "the app " + std::string(plugin.name) + " has no command '" + name + "'; did you mean '" +
                               nearest_name(name, names) + "'?"};
}

// `plugin`: null if no app was named.
void print_help(const Plugin* plugin, const Command& command, const CommandLine& line) {
  std::vector<Option> options = own_options(command);
  options.insert(options.end(), command.options.begin(), command.options.end());
  const std::string app = plugin == nullptr || command.run == nullptr ? "APP" : std::string(plugin->name);
  print_help({"rota " + std::string(command.name) + " " + app + (command.needs_model ? " --model=DIR" : "") +
                  (command.takes_input ? " --input=PATH" : "") + " [flags]",
              std::string(command.summary),
              {{"", std::move(options)}}},
             line);
}

// The files of a run, by their names in its folder: those of its model and its checkpoints, and its records.
bool is_of_run(const fs::path& file, const fs::path& folder) {
  std::error_code ignored;
  const RunFolder run{folder};
  const fs::path parent = file.parent_path().empty() ? "." : file.parent_path();
  for (const fs::path& own : {folder, run.model(), run.log(), run.keys(), run.checkpoint()}) {
    if (!fs::equivalent(parent, own, ignored)) continue;
    // Beside them in the run's own folder, a result may have its place; in the folder of a model alone it may not.
    if (own != folder || fs::exists(folder / RunFolder::kModelManifest, ignored)) return true;
    for (const fs::path& record : run.records())
      if (file.filename() == record.filename()) return true;
  }
  return fs::equivalent(parent.parent_path(), run.checkpoint(), ignored);
}

// What is read must not be overwritten.
Status check_output(const Command& command, const Options& options, const std::vector<std::string>& files) {
  const fs::path output(options.text("output"));
  const auto refused = [&](const std::string& why) {
    return Status(ExitCode::cannot_write, "--output=" + output.string() + " " + why);
  };
  for (const char* const packed : {".gz", ".bz2", ".xz", ".zst"})
    if (output.extension() == packed)
      return {ExitCode::usage, "--output=" + output.string() + ": the result is plain text; name it without " + packed};
  const auto is_output = [&](const fs::path& file) {
    std::error_code ignored;
    return fs::equivalent(output, file, ignored);
  };
  for (const Option& option : command.options)
    if (option.name != "output" && (option.kind == Option::Kind::path || option.kind == Option::Kind::text))
      if (is_output(options.text(option.name))) return refused("is what --" + std::string(option.name) + " names");
  for (const std::string& file : files)
    if (is_output(file)) return refused("is a file of --input");
  if (command.needs_model && is_of_run(follow_links(output), fs::path(options.text("model"))))
    return refused("would be a file of the run that --model names");
  return {};
}

// `--output` appears under its name once it is complete.
Status run_into(const Plugin& plugin, const Command& command, const Call& call) {
  if (!call.options.has("output") || declares(command, "output")) {
    // `show` is for people; other output may be for a program, which needs the exact bytes.
    WholeLines out(std::cout, command.name == "show" || ::isatty(STDOUT_FILENO) == 1);
    ROTA_TRY(call_hook(plugin.name, command.name, "", [&] { command.run(call, out); }));
    out.end();
    return out.good() && std::cout.good() ? Status() : Status(ExitCode::disk, "cannot write to stdout");
  }
  return write_result(fs::path(call.options.text("output")), [&](std::ostream& out) {
    return call_hook(plugin.name, command.name, "", [&] { command.run(call, out); });
  });
}

// Reports options that were given and change nothing.
Status warn_of_ignored(const Plugin& plugin, const Command& command, const Options& options) {
  std::vector<IgnoredOption> ignored;
  ROTA_TRY(call_hook(plugin.name, command.name, "", [&] { ignored = ignored_options(command.options, options); }));
  for (const IgnoredOption& one : ignored) std::fprintf(stderr, "rota: %s\n", visible_text(one.text()).c_str());
  return {};
}

struct AppCommand {
  CommandLine line;
  const Plugin* plugin = nullptr;
  Command command;
};

// The command line against all of its flags.  Of a `known` command, or else of one of the app's.
Result<AppCommand> read_line(int argc, const char* const* argv, const Command* known) {
  AppCommand read;
  ROTA_ASSIGN(read.plugin, app_argument(argc, argv, kOwnOptions, argv[0] + std::string(" APP --model=DIR"), read.line));
  const Command* const command =
      known == nullptr && read.plugin != nullptr ? find_command(*read.plugin, argv[0]) : known;
  if (command == nullptr && read.plugin != nullptr) return no_command(*read.plugin, argv[0]);
  read.command =
      command == nullptr ? Command{argv[0], "Is a command of an app: `rota APP` lists them.", {}, nullptr} : *command;
  if (read.line.wish == CommandLine::Wish::help) return read;
  const std::vector<Option> own = own_options(read.command);
  ROTA_ASSIGN(read.line, parse_flags(argc, argv, {{}, own, read.command.options, false}));
  ROTA_TRY(check_arguments(read.line, ""));
  if (read.command.needs_model && !read.line.options.has("model"))
    return Status(ExitCode::usage, "--model is missing: the folder of a run");
  if (read.command.takes_input && !read.line.options.has("input")) return Status(ExitCode::usage, "--input is missing");
  return read;
}

}  // namespace

Status plugin_command(int argc, const char* const* argv) {
  ROTA_ASSIGN(const auto read, read_line(argc, argv, nullptr));
  const auto& [line, plugin, command] = read;
  if (line.wish == CommandLine::Wish::help) return print_help(plugin, command, line), Status();
  tell_of_repeated(line);
  std::unique_ptr<Model> model;
  if (command.needs_model) {
    ROTA_TRY(check_app(*plugin, fs::path(line.options.text("model"))));
    ROTA_ASSIGN(model, open_to_read(fs::path(line.options.text("model")), *plugin));
  }
  std::vector<std::string> files;
  if (command.takes_input) {
    const std::string_view input = line.options.text("input");
    ROTA_ASSIGN(files, input_files(input == "-" ? "/dev/stdin" : input));
  }
  if (line.options.has("output")) ROTA_TRY(check_output(command, line.options, files));
  ROTA_TRY(warn_of_ignored(*plugin, command, line.options));
  return run_into(*plugin, command, {model.get(), line.options, files});
}

Status export_command(int argc, const char* const* argv) {
  constexpr Command kExport{
      "export", "Writes the text form of a model again, next to it, as `rota train` has done; or into a new folder.",
      kExportOptions, nullptr};
  ROTA_ASSIGN(const auto read, read_line(argc, argv, &kExport));
  if (read.line.wish == CommandLine::Wish::help) return print_help(read.plugin, kExport, read.line), Status();
  const Options& options = read.line.options;
  const fs::path folder(options.text("model"));
  ROTA_TRY(check_app(*read.plugin, folder));
  const std::string_view format = options.text("format");
  const ProgressForm form = progress_form(options);
  Progress progress(form);
  std::string written = folder;
  if (options.has("output")) {
    written = options.text("output");
    const Busy busy(progress, "exporting");
    ROTA_TRY(export_into(*read.plugin, folder, written, table_format(format)));
  } else if (format != "csv") {
    return {ExitCode::usage, "--format=" + std::string(format) + " is for --output=DIR"};
  } else {
    const RunFolder run{folder};
    std::error_code error;
    ROTA_TRY(fs::exists(run.result(), error) ? write_text(run, *read.plugin, progress)
                                             : export_model(*read.plugin, folder));
  }
  progress.end();
  if (form == ProgressForm::json) {
    nlohmann::ordered_json result = event_now("result");
    result["output"] = visible_text(written);
    return std::printf("%s\n", json_text(result).c_str()), Status();
  }
  std::printf("exported: %s\n", visible_text(written).c_str());
  return {};
}

Status describe_app(const std::string& app) {
  ROTA_ASSIGN(auto found, find_plugin(app));
  const Plugin& plugin = *found;
  const auto entry = [&](std::string_view command, const char* arguments, std::string_view summary) {
    std::printf("  rota %s %s%s\n      %s\n", std::string(command).c_str(), app.c_str(), arguments,
                std::string(summary).c_str());
  };
  std::printf("The app %s: %s\n\n", std::string(plugin.name).c_str(), std::string(plugin.summary).c_str());
  entry("train", " --input=PATH --out=DIR [flags]", "Trains a model.");
  for (const Command& command : plugin.commands)
    entry(command.name, command.needs_model ? " --model=DIR [flags]" : " [flags]", command.summary);
  entry("export", " --model=DIR", "Writes a model's tables, beside it or in a new folder.");
  std::printf("\n`rota COMMAND %s --help` has the details.\n", app.c_str());
  return {};
}

std::vector<std::string> apps_with(const std::string& command) {
  std::vector<std::string> apps;
  for (const std::string& app : available_apps())
    if (auto plugin = find_plugin(app); plugin.ok() && find_command(**plugin, command) != nullptr) apps.push_back(app);
  return apps;
}

}  // namespace rota
