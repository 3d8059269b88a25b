#include <cstdio>

#include "cli/commands/commands.h"
#include "cli/launcher/progress.h"
#include "core/job/plugin_host.h"

namespace rota {

void print_help(const Help& help, const CommandLine& line) {
  std::fputs(help_text(help, line.form).c_str(), stdout);
}

Status check_arguments(const CommandLine& line, const char* missing) {
  const std::size_t wanted = missing == nullptr ? 0 : 1;
  if (line.positional.size() < wanted) return {ExitCode::usage, missing};
  if (line.positional.size() == wanted) return {};
  return {ExitCode::usage, "unexpected argument '" + line.positional[wanted] + "'"};
}

Status run_command(int argc, const char* const* argv, const CommandForm& form, Status (*run)(const CommandLine&)) {
  ROTA_ASSIGN(const auto line, parse_flags(argc, argv, {{}, form.options, {}, form.any_option}));
  if (line.wish == CommandLine::Wish::help)
    return print_help({"rota " + std::string(form.usage), form.about, {{"", listed(form.options)}}}, line), Status();
  tell_of_repeated(line);
  ROTA_TRY(check_arguments(line, form.missing));
  return run(line);
}

Result<const Plugin*> app_argument(int argc, const char* const* argv, std::span<const Option> own,
                                   const std::string& missing, CommandLine& first) {
  ROTA_ASSIGN(first, parse_flags(argc, argv, {{}, own, {}, true}));
  if (!first.positional.empty())
    return find_plugin(first.positional.front(), std::filesystem::path(first.options.text("plugin_dir")));
  if (first.wish == CommandLine::Wish::run) return Status(ExitCode::usage, "which app? rota " + missing);
  return static_cast<const Plugin*>(nullptr);
}

}  // namespace rota
