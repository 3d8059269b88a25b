// rota man [COMMAND [APP]]: manual pages, made from the declarations that --help shows.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cli/commands/commands.h"
#include "core/job/plugin_host.h"

namespace rota {
namespace {

// Of rota-worker, ...: the program writes it itself.
Status page_of_program(const std::string& name) {
  const std::string program = (program_folder() / name).native();
  ::execl(program.c_str(), name.c_str(), "--help=manual", nullptr);
  return {ExitCode::no_input, program + ": " + std::strerror(errno)};
}

}  // namespace

Status man_command(int argc, const char* const* argv) {
  const Help help{"rota man [COMMAND [APP]]",
                  "Writes the manual page of a command, or of a program such as rota-worker, for man(1):\n"
                  "rota man train lda | man -l -",
                  {}};
  ROTA_ASSIGN(const auto line, parse_flags(argc, argv, {}));
  if (line.wish == CommandLine::Wish::help) return print_help(help, line), Status();
  const std::vector<std::string>& words = line.positional;
  if (words.empty()) return std::fputs(help_text(overview(), HelpForm::manual).c_str(), stdout), Status();
  if (words.front().starts_with("rota-") && words.size() == 1 && words.front().find('/') == std::string::npos)
    return page_of_program(words.front());
  return help_of(words, HelpForm::manual);
}

}  // namespace rota
