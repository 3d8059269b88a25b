// core/runtime/listening.h -- where a process of a job listens, by its options.
#pragma once
#include <cstdint>
#include <string>

#include "core/base/status.h"
#include "core/job/job_config.h"
#include "core/wire/address.h"
#include "core/wire/node_id.h"

namespace rota {

// Over ipc beside the coordinator's socket.  Over tcp: where --bind says, else at the loopback address if that is
// advertised, else at all interfaces.  The advertised address is --host, else for the coordinator its own address (its
// host's name, if it listens at "*"), for others the number from which they reach the coordinator.
Result<Listening> listening_of(NodeId process, const JobConfig& config, std::uint64_t incarnation);

// This machine's.
std::string host_name();

}  // namespace rota
