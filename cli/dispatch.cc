// The table of the commands, and what a command line means.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/remote/agent.h"
#include "core/base/flags.h"
#include "core/base/version.h"
#include "core/job/plugin_host.h"
#include "core/wire/keys.h"
#include "rota/utf8.h"

namespace rota {
namespace {

// Makes the keys of a job or a cluster.
Status keys_command(int argc, const char* const* argv) {
  return run_command(argc, argv,
                     {"keys DIR",
                      "Makes the keys for tcp, a pair for each role, in a folder that is new or empty.\n"
                      "ROLE.secret goes to the machines of that role alone, the files ROLE.public to all.",
                      "in which folder? rota keys DIR"},
                     [](const CommandLine& line) -> Status {
                       const auto folder = std::filesystem::absolute(line.positional.front()).lexically_normal();
                       ROTA_TRY(make_keys(folder));
                       const std::string shown = visible_text(folder.native());
                       std::printf("keys of 5 roles are in %s: pass --keys=%s\n", shown.c_str(), shown.c_str());
                       return {};
                     });
}

struct CommandEntry {
  std::string_view name;
  std::string_view arguments;
  std::string_view meaning;
  Status (*run)(int argc, const char* const* argv);
};

Status agent_command(int argc, const char* const* argv) {
  return run_command(argc, argv,
                     {"agent",
                      "Runs processes of a job on this machine.  `rota train --hosts` starts it over ssh, and "
                      "controls it\nover stdin; it is not for direct use.",
                      nullptr},
                     [](const CommandLine&) { return serve_agent(); });
}

constexpr CommandEntry kEntries[] = {
    {"train", "APP --input=PATH --out=DIR [flags]", "Trains a model.", train_command},
    {"shard", "APP --input=PATH --output=DIR [flags]", "Reads an input once, into a file for each data shard.",
     shard_command},
    {"resume", "DIR [flags]", "Resumes a run from its newest checkpoint.", resume_command},
    {"show", "APP --model=DIR", "Prints a model; other commands of an app are called in the same way.", plugin_command},
    {"export", "APP --model=DIR", "Writes a model's tables, beside it or in a new folder.", export_command},
    {"status", "DIR|ADDRESS", "Shows the state of a run.", status_command},
    {"top", "DIR|ADDRESS", "Shows a run on a terminal, until it ends.", top_command},
    {"report", "DIR... --output=FILE", "Writes runs as one HTML file.", report_command},
    {"plot", "DIR... [flags]", "Draws the curves of runs as a picture for papers.", plot_command},
    {"web", "DIR|PARENT|ADDRESS [flags]", "Shows a run, or all runs in a folder, in a browser.", web_command},
    {"add-worker", "DIR|ADDRESS [flags]", "Adds a worker to an active run.", add_worker_command},
    {"new", "DIR", "Makes a folder for an app of your own, builds it and tries it.", new_app_command},
    {"role", "APP --input=PATH --out=DIR [flags]",
     "Is the process of a job that a launcher's rank says: for mpirun, srun, indexed jobs.", role_command},
    {"manifest", "kubernetes APP --input=PATH --out=DIR [flags]", "Writes what Kubernetes needs to train a model.",
     manifest_command},
    {"doctor", "[DIR] [flags]", "Examines whether this machine, and others, can run jobs.", doctor_command},
    {"keys", "DIR", "Makes keys for processes that communicate over tcp.", keys_command},
    {"man", "[COMMAND [APP]]", "Writes the manual page of a command: rota man train | man -l -", man_command},
    {"completion", "bash|zsh", "Writes what makes a shell complete commands, apps and flags.", completion_command},
    {"agent", "", "Runs processes of a job on this machine; for `rota train --hosts`, not for direct use.",
     agent_command},
};

std::string first_line(const CommandEntry& entry) {
  return "rota " + std::string(entry.name) + (entry.arguments.empty() ? "" : " ") + std::string(entry.arguments);
}

void print_overview() {
  std::printf("usage: rota COMMAND ...\n\nTrains models by scheduling the updates of their parameters.\n\n");
  for (const CommandEntry& entry : kEntries)
    std::printf("  rota %-10s %s\n      %s\n", std::string(entry.name).c_str(), std::string(entry.arguments).c_str(),
                std::string(entry.meaning).c_str());
  std::printf("\nApps:");
  for (const std::string& app : available_apps()) std::printf(" %s", visible_text(app).c_str());
  std::printf("\n`rota APP` lists the commands of an app, `rota COMMAND [APP] --help` all flags.\n");
}

Status unknown(const std::string& name) {
  if (const std::vector<std::string> apps = apps_with(name); !apps.empty()) {
    std::string all;
    for (const std::string& app : apps) all += " " + app;
    return {ExitCode::usage, "which app? rota " + name + " APP; these have it:" + all};
  }
  std::vector<std::string> names = command_names();
  names.emplace_back("help");
  return {ExitCode::usage, "unknown command '" + name + "'; did you mean '" + nearest_name(name, names) + "'?"};
}

// A command of a plugin is known only with the plugin: `rota predict lda`.
bool names_an_app(int argc, const char* const* argv) {
  const std::string_view app = argc < 2 ? "-" : argv[1];
  return !app.starts_with('-') && (is_app_file(app) || std::ranges::count(available_apps(), app) > 0);
}

}  // namespace

Help overview() {
  Help help{"rota COMMAND ...", "Trains models by scheduling the updates of their parameters.", {}};
  for (const CommandEntry& entry : kEntries)
    help.about += "\n\n" + first_line(entry) + "\n\n" + std::string(entry.meaning);
  help.end = "`rota APP` lists the commands of an app, `rota COMMAND [APP] --help` all flags.";
  return help;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandEntry& entry : kEntries) names.emplace_back(entry.name);
  return names;
}

Status help_of(std::vector<std::string> words, HelpForm form) {
  words.insert(words.begin(), "rota");
  words.push_back(form == HelpForm::manual ? "--help=manual" : form == HelpForm::words ? "--help=words" : "--help");
  const std::vector<const char*> argv = argv_of(words);
  return run_rota(static_cast<int>(argv.size()), argv.data());
}

Status run_rota(int argc, const char* const* argv) {
  if (argc < 2) return {ExitCode::usage, "which command? `rota --help` lists them"};
  for (const std::string_view word : std::span(argv + 1, static_cast<std::size_t>(argc - 1))) {
    if (word == "--version" || word == "-version") return std::printf("rota %s\n", kVersion), Status();
    if (word == "--") break;
  }
  const std::string name = argv[1];
  if (name == "--help" || name == "-h" || name == "-help" || name == "help") {
    const std::vector<std::string> of(argv + 2, argv + argc);
    return name == "help" && !of.empty() ? help_of(of, HelpForm::text) : (print_overview(), Status());
  }
  if (name.starts_with('-')) return {ExitCode::usage, "a command comes first: rota COMMAND " + name};
  for (const CommandEntry& entry : kEntries)
    if (entry.name == name) return entry.run(argc - 1, argv + 1);
  if (names_an_app(argc - 1, argv + 1)) return plugin_command(argc - 1, argv + 1);
  return names_an_app(argc, argv) ? describe_app(name) : unknown(name);
}

}  // namespace rota
