// worker/restoring.h -- what a resumed worker fetches from the checkpoint: few objects at a time, so that the next is
// here when a thread is free, and no more than that fill the memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/runtime/node.h"

namespace rota {

class Restoring {
 public:
  // `at_once`: objects that are asked for and not restored.
  Restoring(std::uint32_t partitions, std::size_t at_once) : partitions_(partitions), at_once_(at_once) {}

  void want(Object object, std::uint64_t id) { wanted_.push_back({object, id}); }
  // Asks for as many as may be.
  void ask(Outbox& out);
  // Something was asked for, and is not restored.
  bool waits() const { return asked_ > 0; }
  // An object is restored; asks for the next.
  void restored(Outbox& out);
  bool done() const { return wanted_.empty() && asked_ == 0; }

 private:
  std::uint32_t partitions_;
  std::size_t at_once_;
  std::deque<Fetch> wanted_;  // and not asked for
  std::size_t asked_ = 0;
};

}  // namespace rota
