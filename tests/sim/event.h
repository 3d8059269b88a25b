// tests/sim/event.h -- something that happens in a simulation, at its time.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "core/base/clock.h"
#include "core/wire/node_id.h"

namespace rota::sim {

struct Event {
  Nanoseconds at;
  std::uint64_t order;
  std::optional<NodeId> process;  // in which it happens; none: outside
  std::uint64_t life = 0;         // of that process: of another it does not
  std::function<void()> act;

  // Of a queue whose top is the earliest.
  friend bool operator<(const Event& a, const Event& b) { return std::pair(a.at, a.order) > std::pair(b.at, b.order); }
};

}  // namespace rota::sim
