// cli/remote/agent.h -- `rota agent`: starts, watches and ends processes of a job on this machine, as a `rota train
// --hosts` on another one tells it over ssh.
//
// It is told on stdin and tells on stdout, in frames (cli/remote/frames.h), each a JSON object with a `kind`:
//
//   to it    hello    silence_ms: how long it may hear nothing before it takes its launcher for lost; comes first
//            start    start: a number of this start; and what role_start.h says
//            signal   start, number
//            beat     is answered
//   from it  started  start, pid
//            ended    start, status (waitpid's), how (in words, if the status does not say it), words (the end of its
//            log) beat
//
// When stdin ends it kills all that it started.  Who reads the job's keys can hurt the job: they are in a folder for
// this user alone, and go with the agent, or with the next one if this one is killed.
#pragma once
#include "core/base/status.h"

namespace rota {

// What the folders of agents begin with.
inline constexpr char kAgentFolderPrefix[] = "rota-agent-";

// Serves until stdin ends.
Status serve_agent();

}  // namespace rota
