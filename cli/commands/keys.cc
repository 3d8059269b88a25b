// rota keys DIR: makes the keys of a job or a cluster.
#include "core/wire/keys.h"

#include <cstdio>

#include "cli/commands/commands.h"
#include "core/base/flags.h"
#include "rota/utf8.h"

namespace rota {

Status keys_command(int argc, const char* const* argv) {
  auto line = parse_flags(argc, argv, {});
  if (!line.ok()) return std::move(line).status();
  if (line->wish == CommandLine::Wish::help)
    return std::printf(
               "usage: rota keys DIR\n\nMakes the keys for tcp, a pair for each role, in a folder that is new or "
               "empty.\n"
               "ROLE.secret goes to the machines of that role alone, the files ROLE.public to all.\n"),
           Status();
  if (line->positional.size() != 1) return {ExitCode::usage, "in which folder? rota keys DIR"};
  const std::filesystem::path folder = std::filesystem::absolute(line->positional.front()).lexically_normal();
  ROTA_TRY(make_keys(folder));
  const std::string shown = visible_text(folder.native());
  std::printf("keys of 5 roles are in %s: say --keys=%s\n", shown.c_str(), shown.c_str());
  return {};
}

}  // namespace rota
