// rota show|predict|... APP --model=DIR: the commands that plugins declare; and rota export.
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <system_error>

#include "cli/commands.h"
#include "cli/run_job.h"
#include "cli/whole_lines.h"
#include "core/base/version.h"
#include "core/checkpoint/initial_model.h"
#include "core/checkpoint/model_reader.h"
#include "core/job/ignored_options.h"
#include "core/job/input_files.h"
#include "core/job/plugin_host.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::array kOwnOptions = {
    Option{.name = "model", .kind = Option::Kind::path, .meaning = "Folder of the run, or of its model."},
    Option{.name = "input",
           .meaning = "Data: a file, a folder (the files right inside), a pattern, several of them separated by "
                      "commas, or - for stdin."},
    Option{.name = "output", .kind = Option::Kind::path, .meaning = "File for the result, instead of stdout."},
    Option{.name = "plugin_dir",
           .kind = Option::Kind::path,
           .meaning = "Folder to look for plugins in, instead of the installed one."},
};

// The flags of a command that are not also the plugin's, and that it has a use for.
std::vector<Option> own_options(std::string_view name, const Command* command) {
  std::vector<Option> own;
  for (const Option& option : kOwnOptions) {
    if (option.name == "output" && name == "export") continue;  // its files have their places
    if (option.name == "model" && command != nullptr && !command->needs_model) continue;
    if (option.name == "input" && (command == nullptr || !command->takes_input)) continue;
    const bool declared = command != nullptr && std::any_of(command->options.begin(), command->options.end(),
                                                            [&](const Option& its) { return its.name == option.name; });
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

// What is read must not be overwritten.
Status check_output(const Command& command, const Options& options, const std::vector<std::string>& files) {
  const fs::path output(options.text("output"));
  const auto is_output = [&](const fs::path& file) {
    std::error_code ignored;
    return fs::equivalent(output, file, ignored);
  };
  for (const Option& option : command.options)
    if (option.name != "output" && (option.kind == Option::Kind::path || option.kind == Option::Kind::text))
      if (is_output(options.text(option.name)))
        return {ExitCode::cannot_write,
                "--output=" + output.string() + " is what --" + std::string(option.name) + " names"};
  for (const std::string& file : files)
    if (is_output(file)) return {ExitCode::cannot_write, "--output=" + output.string() + " is a file of --input"};
  return {};
}

// `--output` appears under its name once it is complete.
Status run_into(const Plugin& plugin, const Command& command, const Call& call) {
  const Options& options = call.options;
  const bool own_output = find_command(plugin, command.name) != nullptr && options.has("output") &&
                          std::none_of(command.options.begin(), command.options.end(),
                                       [](const Option& option) { return option.name == "output"; });
  if (!own_output) {
    WholeLines out(std::cout);
    ROTA_TRY(call_hook(plugin.name, command.name, "", [&] { command.run(call, out); }));
    out.end();
    return out.good() && std::cout.good() ? Status() : Status(ExitCode::disk, "cannot write to stdout");
  }
  const fs::path file(options.text("output"));
  const fs::path unfinished = file.string() + ".unfinished";
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  if (!out) return {ExitCode::cannot_write, "cannot write " + unfinished.string()};
  Status status = call_hook(plugin.name, command.name, "", [&] { command.run(call, out); });
  out.close();
  if (status.ok() && !out) status = {ExitCode::disk, "cannot write " + unfinished.string()};
  std::error_code error;
  if (status.ok()) fs::rename(unfinished, file, error);
  if (error) status = {ExitCode::cannot_write, file.string() + ": " + error.message()};
  if (!status.ok()) fs::remove(unfinished, error);
  return status;
}

// Tells of options that were given and change nothing.
Status warn_of_ignored(const Plugin& plugin, const Command& command, const Options& options) {
  if (command.ignored == nullptr) return {};
  std::vector<Ignored> ignored;
  ROTA_TRY(call_hook(plugin.name, command.name, "", [&] { ignored = command.ignored(options); }));
  for (const Ignored& one : only_set(std::move(ignored), options, command.options))
    std::fprintf(stderr, "rota: %s\n", one.text().c_str());
  return {};
}

// The app and the folder of its plugins, before the command's own flags are known.
Result<const Plugin*> plugin_of(int argc, const char* const* argv, CommandLine& first) {
  auto line = parse_flags(argc, argv, {{}, kOwnOptions, {}, true});
  if (!line.ok()) return std::move(line).status();
  first = std::move(line).value();
  if (first.wish != CommandLine::Wish::run && first.positional.empty()) return static_cast<const Plugin*>(nullptr);
  if (first.positional.empty())
    return Status(ExitCode::usage, "which app? rota " + std::string(argv[0]) + " APP --model=DIR");
  return find_plugin(first.positional.front(), fs::path(first.options.text("plugin_dir")));
}

// The command line against all of its flags.
Result<CommandLine> whole_line(int argc, const char* const* argv, const Command* command) {
  const std::vector<Option> own = own_options(argv[0], command);
  auto line =
      parse_flags(argc, argv, {{}, own, command == nullptr ? std::span<const Option>() : command->options, false});
  if (!line.ok()) return line;
  if (line->positional.size() > 1) return Status(ExitCode::usage, "'" + line->positional[1] + "' is one word too many");
  if ((command == nullptr || command->needs_model) && !line->options.has("model"))
    return Status(ExitCode::usage, "--model is missing: the folder of a run");
  if (command != nullptr && command->takes_input && !line->options.has("input"))
    return Status(ExitCode::usage, "--input is missing");
  return line;
}

}  // namespace

Status plugin_command(int argc, const char* const* argv) {
  CommandLine first;
  auto plugin = plugin_of(argc, argv, first);
  if (!plugin.ok()) return std::move(plugin).status();
  if (first.wish == CommandLine::Wish::version) return std::printf("rota %s\n", kVersion), Status();
  const Command* command = *plugin == nullptr ? nullptr : find_command(**plugin, argv[0]);
  if (first.wish == CommandLine::Wish::help) return print_help(argv[0], command), Status();
  if (command == nullptr) return no_command(**plugin, argv[0]);
  auto line = whole_line(argc, argv, command);
  if (!line.ok()) return std::move(line).status();
  std::unique_ptr<Model> model;
  if (command->needs_model) {
    ROTA_TRY(check_app(**plugin, fs::path(line->options.text("model"))));
    auto opened = open_model(fs::path(line->options.text("model")), (*plugin)->options);
    if (!opened.ok()) return std::move(opened).status();
    model = std::move(opened).value();
  }
  std::vector<std::string> files;
  if (command->takes_input) {
    const std::string_view input = line->options.text("input");
    auto found = input_files(input == "-" ? "/dev/stdin" : input);
    if (!found.ok()) return std::move(found).status();
    files = std::move(found).value();
  }
  if (line->options.has("output")) ROTA_TRY(check_output(*command, line->options, files));
  ROTA_TRY(warn_of_ignored(**plugin, *command, line->options));
  return run_into(**plugin, *command, {model.get(), line->options, files});
}

Status export_command(int argc, const char* const* argv) {
  CommandLine first;
  auto plugin = plugin_of(argc, argv, first);
  if (!plugin.ok()) return std::move(plugin).status();
  if (first.wish == CommandLine::Wish::version) return std::printf("rota %s\n", kVersion), Status();
  if (first.wish == CommandLine::Wish::help) return print_help("export", nullptr), Status();
  auto line = whole_line(argc, argv, nullptr);
  if (!line.ok()) return std::move(line).status();
  const fs::path folder(line->options.text("model"));
  ROTA_TRY(check_app(**plugin, folder));
  const RunFolder run{folder};
  std::error_code error;
  ROTA_TRY(fs::exists(run.result(), error) ? write_text(run, **plugin) : export_model(**plugin, folder));
  std::printf("exported: %s\n", folder.c_str());
  return {};
}

}  // namespace rota
