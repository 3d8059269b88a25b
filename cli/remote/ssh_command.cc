#include "cli/remote/ssh_command.h"

#include <algorithm>

#include "rota/utf8.h"

namespace rota {

namespace {

// What means something even between single quotes, to some shell.
constexpr std::string_view kNotQuoted = "'\\!";

}  // namespace

Result<std::vector<std::string>> ssh_arguments(const Machine& machine, std::string_view rota) {
  const bool sayable = rota.starts_with('/') && std::all_of(rota.begin(), rota.end(), [](char c) {
                         return c >= ' ' && c <= '~' && kNotQuoted.find(c) == kNotQuoted.npos;
                       });
  if (!sayable)
    return Status(ExitCode::usage, "'" + visible_text(rota) +
                                       "' cannot be started on another machine: the path of `rota` there is absolute, "
                                       "in ASCII, without quotes, '\\' and '!' (--remote_rota=PATH)");
  // No password is asked for, no terminal, and nothing of this machine is lent to the other.
  return std::vector<std::string>{
      "-T", "-a", "-x", "-o", "BatchMode=yes", "--", machine.target(), "exec '" + std::string(rota) + "' agent"};
}

}  // namespace rota
