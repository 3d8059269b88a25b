// tests/sim/process.h -- what a simulation knows of a process, and of a connection of two.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>

#include "core/base/clock.h"
#include "core/runtime/host.h"
#include "worker/worker.h"

namespace rota::sim {

struct Process {
  std::unique_ptr<Host> host;
  Worker* worker = nullptr;
  std::uint64_t life = 0, era = 0;
  Nanoseconds still_until = 0;
  // For its thread for files, which does one after the other; what waits, whether one is under way, and when the end
  // of the last was reported.
  std::deque<std::shared_ptr<Outbox::Started>> files;
  bool files_busy = false;
  Nanoseconds files_done_at = 0;
};

struct Connection {
  Nanoseconds last_arrival = 0;
  std::uint64_t generation = 0;
};

}  // namespace rota::sim
