// rota show|predict|... APP --model=DIR: the commands that plugins declare; and rota export.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <system_error>

#include "cli/commands/commands.h"
#include "cli/folders/result_file.h"
#include "cli/launcher/progress.h"
#include "cli/launcher/run_job.h"
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

// The flags of a command that are not also the plugin's, and that it has a use for.
std::vector<Option> own_options(std::string_view name, const Command* command) {
  std::vector<Option> own;
  for (const Option& option : kOwnOptions) {
    if (option.name == "output" && name == "export") continue;  // its files have their places
    if (option.name == "model" && command != nullptr && !command->needs_model) continue;
    if (option.name == "input" && (command == nullptr || !command->takes_input)) continue;
    const bool declared = command != nullptr && std::ranges::any_of(command->options, [&](const Option& its) {
                            return its.name == option.name;
                          });
    if (!declared) own.push_back(option);
  }
  return own;
}

const Command* find_command(const Plugin& plugin, std::string_view name) {
  for (const Command& command : plugin.commands)
    if (command.name == name) return &command;
  return nullptr;
}

Status no_command(const Plugin& plugin, const std::string& name) {
  std::vector<std::string> names{"train", "export"};
  for (const Command& command : plugin.commands) names.emplace_back(command.name);
  return {ExitCode::usage, "the app " + std::string(plugin.name) + " has no command '" + name + "'; the nearest is '" +
                               nearest_name(name, names) + "'"};
}

void print_help(const std::string& name, const Command* command) {
  std::printf("usage: rota %s APP%s%s [flags]\n\n%s\n%s", name.c_str(),
              command == nullptr || command->needs_model ? " --model=DIR" : "",
              command != nullptr && command->takes_input ? " --input=PATH" : "",
              command == nullptr ? "" : std::string(command->summary).c_str(),
              describe(own_options(name, command)).c_str());
  if (command != nullptr) std::printf("%s", describe(command->options).c_str());
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
    for (const fs::path& record : {run.marker(), run.flags(), run.address(), run.metrics(), run.events(), run.result(),
                                   run.input(), run.place()})
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
  const Options& options = call.options;
  const bool own_output =
      find_command(plugin, command.name) != nullptr && options.has("output") &&
      std::ranges::none_of(command.options, [](const Option& option) { return option.name == "output"; });
  if (!own_output) {
    // `show` is for people; other output may be for a program, which needs the exact bytes.
    WholeLines out(std::cout, command.name == "show" || ::isatty(STDOUT_FILENO) == 1);
    ROTA_TRY(call_hook(plugin.name, command.name, "", [&] { command.run(call, out); }));
    out.end();
    return out.good() && std::cout.good() ? Status() : Status(ExitCode::disk, "cannot write to stdout");
  }
  ROTA_ASSIGN(auto file, ResultFile::open(fs::path(options.text("output"))));
  ROTA_TRY(call_hook(plugin.name, command.name, "", [&] { command.run(call, file.out()); }));
  return file.complete();
}

// Reports options that were given and change nothing.
Status warn_of_ignored(const Plugin& plugin, const Command& command, const Options& options) {
  std::vector<IgnoredOption> ignored;
  ROTA_TRY(call_hook(plugin.name, command.name, "", [&] { ignored = ignored_options(command.options, options); }));
  for (const IgnoredOption& one : ignored) std::fprintf(stderr, "rota: %s\n", visible_text(one.text()).c_str());
  return {};
}

// The command line against all of its flags.
Result<CommandLine> whole_line(int argc, const char* const* argv, const Command* command) {
  const std::vector<Option> own = own_options(argv[0], command);
  ROTA_ASSIGN(
      auto line,
      parse_flags(argc, argv, {{}, own, command == nullptr ? std::span<const Option>() : command->options, false}));
  ROTA_TRY(one_argument(line, ""));
  if ((command == nullptr || command->needs_model) && !line.options.has("model"))
    return Status(ExitCode::usage, "--model is missing: the folder of a run");
  if (command != nullptr && command->takes_input && !line.options.has("input"))
    return Status(ExitCode::usage, "--input is missing");
  return line;
}

}  // namespace

Status plugin_command(int argc, const char* const* argv) {
  CommandLine first;
  ROTA_ASSIGN(auto plugin,
              app_argument(argc, argv, kOwnOptions, (argv[0] + std::string(" APP --model=DIR")).c_str(), first));
  const Command* command = plugin == nullptr ? nullptr : find_command(*plugin, argv[0]);
  if (command == nullptr && plugin != nullptr) return no_command(*plugin, argv[0]);
  if (first.wish == CommandLine::Wish::help) return print_help(argv[0], command), Status();
  ROTA_ASSIGN(auto line, whole_line(argc, argv, command));
  tell_of_repeated(line);
  std::unique_ptr<Model> model;
  if (command->needs_model) {
    ROTA_TRY(check_app(*plugin, fs::path(line.options.text("model"))));
    ROTA_ASSIGN(model, open_model(fs::path(line.options.text("model")), *plugin));
  }
  std::vector<std::string> files;
  if (command->takes_input) {
    const std::string_view input = line.options.text("input");
    ROTA_ASSIGN(files, input_files(input == "-" ? "/dev/stdin" : input));
  }
  if (line.options.has("output")) ROTA_TRY(check_output(*command, line.options, files));
  ROTA_TRY(warn_of_ignored(*plugin, *command, line.options));
  return run_into(*plugin, *command, {model.get(), line.options, files});
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
  if (plugin.export_text != nullptr) entry("export", " --model=DIR", "Writes a model's text form, beside it.");
  std::printf("\n`rota COMMAND %s --help` has the details.\n", app.c_str());
  return {};
}

std::vector<std::string> apps_with(const std::string& command) {
  std::vector<std::string> apps;
  for (const std::string& app : available_apps())
    if (auto plugin = find_plugin(app); plugin.ok() && find_command(**plugin, command) != nullptr) apps.push_back(app);
  return apps;
}

Status export_command(int argc, const char* const* argv) {
  CommandLine first;
  ROTA_ASSIGN(auto plugin,
              app_argument(argc, argv, kOwnOptions, (argv[0] + std::string(" APP --model=DIR")).c_str(), first));
  if (first.wish == CommandLine::Wish::help) return print_help("export", nullptr), Status();
  ROTA_ASSIGN(auto line, whole_line(argc, argv, nullptr));
  const fs::path folder(line.options.text("model"));
  ROTA_TRY(check_app(*plugin, folder));
  const RunFolder run{folder};
  std::error_code error;
  ROTA_TRY(fs::exists(run.result(), error) ? write_text(run, *plugin) : export_model(*plugin, folder));
  std::printf("exported: %s\n", visible_text(folder.native()).c_str());
  return {};
}

}  // namespace rota
