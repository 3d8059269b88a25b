// core/runtime/credit.h -- how much a node may have on its way to another process before it waits: the bound on a
// sender's memory when it sends what is large and many, objects of a checkpoint and rows of a table.
#pragma once
#include <cstdint>

#include "core/runtime/node.h"

namespace rota {

struct Credit {
  std::uint64_t bytes = std::uint64_t{256} << 20;  // to one process; one object alone may be larger
  std::uint64_t kept = std::uint64_t{64} << 20;    // of an unfinished checkpoint in a partition's memory
  std::uint64_t chunk = std::uint64_t{32} << 20;   // of rows in one message

  // Whether more may be sent now; `unseen` bytes were sent there in this very step.  If not, ask again in tick().
  bool allows(const Outbox& out, NodeId to, std::uint64_t unseen = 0) const {
    const std::uint64_t on_the_way = out.waiting(to) + unseen;
    return on_the_way == 0 || on_the_way < bytes;
  }
};

}  // namespace rota
