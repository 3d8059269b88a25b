// core/runtime/process.h -- the loop that all mains share: wait, receive, let the host's nodes step, send.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "core/base/hash.h"
#include "core/base/status.h"
#include "core/job/job_config.h"
#include "core/runtime/host.h"
#include "core/wire/transport.h"

namespace rota {

// For a program's first line: takes what the system allows (core/base/process_limits.h), and from now on memory or a
// thread that is missing ends the process with 75, unless it is handled elsewhere.
Status begin_process();

// The coordinator's process: `listening` receives the address where it can be reached.  Returns what the process is to
// exit with.
Ending run_coordinator(const JobConfig& config, std::unique_ptr<Node> node,
                       const std::function<Status(const std::string& address)>& listening);
// Any other: joins the coordinator, and then hosts what `factory` makes.  `plugin`: the hash of its file.
Ending run_member(Role role, const JobConfig& config, const Hash128& plugin, Host::Factory factory);
// The loop itself, which both run over ZeroMQ, with `threads` compute threads: until the host has ended.
Ending run_process(NodeId process, unsigned threads, Transport& transport, Host& host);

}  // namespace rota
