// cli/processes/parent_watch.h -- for programs that start `rota` and may be killed: the end of the parent ends the run.
#pragma once
#include "core/base/status.h"
#include "rota/options.h"

namespace rota {

inline constexpr Option kParentOption = {
    .name = "parent",
    .kind = Option::Kind::integer,
    .default_value = "0",
    .unit = "process",
    .meaning =
        "The process that starts this command. When it ends, the run stops after a checkpoint, as by SIGTERM; "
        "after 10 s without one. 0: the run goes on.",
    .least = 0,
    .most = 4194304};  // what Linux numbers at most

// From now on this process gets SIGTERM when its parent ends, and again after 10 s.  Also if it has ended already.
// ExitCode::usage if another process is named.  Nothing happens without the option.
Status watch_parent(const Options& options);

}  // namespace rota
