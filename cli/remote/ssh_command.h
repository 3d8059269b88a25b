// cli/remote/ssh_command.h -- the one command line of another machine that `rota` has run there.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/remote/hosts.h"
#include "core/base/status.h"

namespace rota {

// Arguments of ssh, or what stands for it, that start an agent.  ssh hands its last argument to a shell over there, so
// it has nothing in it but the path of `rota`: absolute, of printable ASCII, and within quotes that it cannot end.
// ExitCode::usage if the path cannot be said so.
Result<std::vector<std::string>> ssh_arguments(const Machine& machine, std::string_view rota);

}  // namespace rota
