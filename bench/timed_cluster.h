// bench/timed_cluster.h -- a simulated cluster of many machines: the real nodes and links over a network of given
// latency and rate, with work that is done on this machine and takes, on the simulated clock, the processor time that
// it took.
//
// Every process has a machine with one core, except the coordinator and the schedulers, which share one with more.  A
// worker's work and its messages take turns on the core: a message that arrives meanwhile delays the work's end.  A
// message occupies the sender's and the receiver's link for its bytes, one after another, and takes the latency; and
// `message_cost` of processor time at either end, beside its real handling, for the sockets, which are not simulated.
//
// Not simulated: other work on machines, differences between them, disks, and that every machine has its own caches:
// here the work of all takes turns in one.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/records/records.h"
#include "rota/plugin.h"

namespace rota {

struct TimedNetwork {
  Nanoseconds latency = 0;
  double bytes_per_second = 0;  // of each machine's link, in each direction
  Nanoseconds message_cost = 0;
};

// Trains `job` on this number of workers until its options' `epochs` are done.  Returns the records of its epochs, with
// simulated seconds.  Nothing is evaluated or committed before the last epoch.  An error if a process ends before.
Result<std::vector<EpochRecord>> train_on_timed_cluster(const Plugin& plugin, const Job& job, std::uint32_t workers,
                                                        const TimedNetwork& network);

}  // namespace rota
