// rota keys DIR: makes the keys of a job or a cluster.
#include "core/wire/keys.h"

#include <cstdio>

#include "cli/commands/commands.h"
#include "rota/utf8.h"

namespace rota {

namespace {

Status keys(const CommandLine& line) {
  const std::filesystem::path folder = std::filesystem::absolute(line.positional.front()).lexically_normal();
  ROTA_TRY(make_keys(folder));
  const std::string shown = visible_text(folder.native());
  std::printf("keys of 5 roles are in %s: pass --keys=%s\n", shown.c_str(), shown.c_str());
  return {};
}

}  // namespace

Status keys_command(int argc, const char* const* argv) {
  return run_command(argc, argv,
                     {"keys DIR\n\nMakes the keys for tcp, a pair for each role, in a folder that is new or empty.\n"
                      "ROLE.secret goes to the machines of that role alone, the files ROLE.public to all.",
                      "in which folder? rota keys DIR"},
                     keys);
}

}  // namespace rota
