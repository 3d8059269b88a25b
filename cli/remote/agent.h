// cli/remote/agent.h -- `rota agent`: starts, watches and ends processes of a job on this machine, for a `rota train
// --hosts` on another one, over ssh.
//
// It reads stdin and writes stdout (cli/remote/agent_messages.h); each message has a `kind`:
//
//   to it    hello    silence_ms: after how long without a message its launcher is lost; comes first
//            start    start: a number of this start; and what json_of() makes of a RoleStart
//            signal   start, number
//            beat     is answered
//   from it  started  start, pid
//            ended    start, status (waitpid's), how (if the status does not show it), words (the end of its log)
//            beat
//            leaving  this machine is to end: its processes were told to, and no other is started
//
// When stdin ends it kills all that it started.  The job's keys are in a folder for this user alone, which is
// removed with the agent, or by the next one if this one is killed.
#pragma once
#include "core/base/status.h"

namespace rota {

// Serves until stdin ends.
Status serve_agent();

}  // namespace rota
