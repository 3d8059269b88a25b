// core/base/flags.h -- the command line: declared by tables of options, read and checked here; glog's flags are
// gflags'.
//
// gflags alone would end the process with a code of its own on a wrong flag, and would not say which one was meant.
#pragma once
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/option_value.h"
#include "core/base/status.h"
#include "rota/options.h"

namespace rota {

// The tables that a command line is read against.  They live as long as the process.
struct FlagTables {
  std::span<const Option> job;     // the framework's, or none
  std::span<const Option> own;     // of this program or command alone: not part of the job
  std::span<const Option> plugin;  // beyond the framework's
  bool any_plugin_option = false;  // without the plugin loaded: an unknown --name=value is taken as it is
};

// What --help (text), `rota man` (manual) and a shell's completion (words) ask for: --help=FORM.
enum class HelpForm { text, manual, words };

struct CommandLine {
  enum class Wish { run, help, version };

  Wish wish = Wish::run;
  HelpForm form = HelpForm::text;
  std::vector<std::string> positional;
  Options options;  // all tables' options: what the user gave, or the default
  // What the user gave, on the command line or in a flagfile, in the user's own words.
  std::map<std::string, std::string, std::less<>> given;
  std::vector<std::string> flagfiles;  // that were read, as they were named
  std::vector<std::string> repeated;   // given more than once on the command line itself, with other values
  std::vector<std::string> log_flags;  // glog's, as "--v=1"; already set, to be passed to other processes
};

// Words as main() gets them; they point into `words`.
std::vector<const char*> argv_of(const std::vector<std::string>& words);

// Reads argv[1] and on: --name=value, --name value, --flag, --noflag, --flagfile=FILE; a later flag wins; "--" ends the
// flags.  ExitCode::usage for an unknown flag, naming the nearest known one, and for a value that its declaration
// forbids; no_input for a missing flagfile.  Writes nothing.  Call from the main thread.
//
// Kind::path values come out absolute, integers and flags in their plain form.  --help and --version are found even
// if other flags are wrong.
Result<CommandLine> parse_flags(int argc, const char* const* argv, const FlagTables& tables);

// Whether a plugin's declarations can be used: good names, none of them the framework's, defaults that their own
// declarations allow.  ExitCode::failed if not.
Status check_declarations(std::span<const Option> plugin, std::span<const Option> taken);

// The name out of `known` with the fewest letters to change, add or drop.  "" if there are none.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

// What --flagfile reads: a line --name=value for each value that is not empty.  Each is one that a flagfile can carry.
// A value with a line break, or with a carriage return at its end, would be read back as another one: ExitCode::usage.
Status check_carried(const std::map<std::string, std::string, std::less<>>& values);
std::string flagfile_text(const std::map<std::string, std::string, std::less<>>& values);
Status write_flagfile(const std::filesystem::path& file, const std::map<std::string, std::string, std::less<>>& values);

}  // namespace rota
