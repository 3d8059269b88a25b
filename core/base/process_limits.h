// core/base/process_limits.h -- what the system lets this process have.
//
// Errors: ExitCode::temporary, naming the limit and what is needed: with more of it, the same command works.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/base/status.h"

namespace rota {

// For the first line of a main.  As many descriptors as the system allows; a file that grows beyond its limit is an
// error of write(), and no signal; what was closed of stdin, stdout and stderr is no number that a file can get.
Status take_limits();

// Whether `count` threads can be made at once.  Libraries end the process where one cannot.
Status check_threads(std::size_t count);

// Whether a process may open `count` files and connections.
Status check_descriptors(std::size_t count);

// Bytes that each of `processes` on this machine may take: an equal share of its memory, or of what this one's control
// groups allow if that is less; at most what a process may have (ulimit -v, ulimit -d).
std::uint64_t memory_for_each(std::uint64_t processes);

// How many processes of this one's control group the system has killed for want of memory; 0 if it does not tell.
std::uint64_t killed_for_memory();

}  // namespace rota
