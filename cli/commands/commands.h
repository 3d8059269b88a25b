// cli/commands/commands.h -- the commands of `rota`.  argv[0] is the command's name.  Each returns success, or the
// message for stderr and the exit code; results go to stdout.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/launcher/progress.h"
#include "core/base/flags.h"
#include "core/base/help.h"
#include "core/base/status.h"
#include "rota/plugin.h"

namespace rota {

// In the form that the command line asks for.
void print_help(const Help& help, const CommandLine& line);

// A command that needs no plugin to read its command line.
struct CommandForm {
  const char* usage;    // "keys DIR"
  const char* about;    // what it does, in whole sentences
  const char* missing;  // the error if its one argument is missing; null: it takes none
  std::span<const Option> options = {};
  bool any_option = false;  // also those of plugins
};
// Reads the command line, and prints the help or calls `run`.
Status run_command(int argc, const char* const* argv, const CommandForm& form, Status (*run)(const CommandLine&));

// The plugin that the one argument names, before its own flags are known.  Null: help without an app is asked for.
// `missing`: the usage, if there is no argument.
Result<const Plugin*> app_argument(int argc, const char* const* argv, std::span<const Option> own,
                                   const std::string& missing, CommandLine& first);
// ExitCode::usage unless there is exactly one argument, or none if `missing` is null.
Status check_arguments(const CommandLine& line, const char* missing);

// The default number of shards: the plugin's choice for the job's input, whose paths are resolved already.  `from` is
// empty if the plugin has no rule, else a message reports the choice.  Depends on the data and the options, never on
// the machine.  Errors are those of reading the input; ExitCode::bug if the choice is beyond a job's limit.
Result<ChosenShards> choose_shards(const Plugin& plugin, const Job& job, ProgressForm form);

// Those of `rota train` alone.
std::span<const Option> train_options();
Status train_command(int argc, const char* const* argv);
// What a job's options alone tell, before any file is looked at.
Status check_options(const Options& options, const Plugin& plugin);
Status shard_command(int argc, const char* const* argv);
Status resume_command(int argc, const char* const* argv);
// Whether a resumed run may have another value of a job's or a network's option: its model does not depend on it.
bool may_change_on_resume(std::string_view option);
Status export_command(int argc, const char* const* argv);
Status status_command(int argc, const char* const* argv);
Status top_command(int argc, const char* const* argv);
Status plot_command(int argc, const char* const* argv);
Status report_command(int argc, const char* const* argv);
Status web_command(int argc, const char* const* argv);
Status add_worker_command(int argc, const char* const* argv);
Status doctor_command(int argc, const char* const* argv);
Status role_command(int argc, const char* const* argv);
Status manifest_command(int argc, const char* const* argv);
Status new_app_command(int argc, const char* const* argv);
Status man_command(int argc, const char* const* argv);
Status completion_command(int argc, const char* const* argv);
// What a plugin can do with a model: `rota show lda --model=DIR`.
Status plugin_command(int argc, const char* const* argv);
// `rota lda`: what the app is, and its commands.
Status describe_app(const std::string& app);
// The installed apps that have a command of this name.
std::vector<std::string> apps_with(const std::string& command);

// `rota WORD ...`; argv[0] is not looked at.
Status run_rota(int argc, const char* const* argv);
// Prints the help of the command that the words begin with: {"train", "lda"}.
Status help_of(std::vector<std::string> words, HelpForm form);
// What `rota --help` has, without the names of apps, which differ by installation.
Help overview();
std::vector<std::string> command_names();

}  // namespace rota
