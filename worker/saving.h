// worker/saving.h -- makes this worker's objects of a checkpoint into bytes and puts them, few at a time: no more than
// credit allows is encoded, on its way to a partition's process, or there and not stored yet.
#pragma once
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <vector>

#include "core/base/status.h"
#include "core/runtime/credit.h"
#include "core/runtime/node.h"

namespace rota {

class Saving {
 public:
  struct Piece {
    Object object = Object::shard;
    std::uint64_t id = 0;
    std::function<Result<Bytes>()> encode;  // called on a compute thread
  };
  struct Limits {
    std::uint32_t partitions = 1;
    std::uint32_t at_once = 1;  // encodings
    Credit credit = {};
    std::uint64_t unstored = std::uint64_t{64} << 20;  // bytes in all partitions; one object alone may be larger
  };

  Saving(Epoch epoch, std::vector<Piece> pieces, const Limits& limits);

  // Starts what may be started now; call it in every tick.  SAVED goes behind the last PUT.  This object outlives what
  // it started.
  void go_on(Outbox& out) { go_on(out, {}, 0); }
  bool done() const { return left_ == 0; }
  // A partition has stored what it was put.
  void stored(const Stored& stored, Outbox& out);

 private:
  // `bytes` were sent to `last` in this step.
  void go_on(Outbox& out, NodeId last, std::uint64_t bytes);
  void start(Piece piece, Outbox& out);
  std::uint32_t partition_of(std::uint64_t id) const;

  Epoch epoch_;
  Limits limits_;
  std::list<Piece> todo_;
  std::uint64_t unstored_ = 0;  // bytes that were put and that no partition has stored
  std::size_t left_ = 0;        // not put yet
  std::size_t encoding_ = 0;    // of them, with the compute threads
  // The largest so far.  How large the first is is not known before it is there, so it is alone.
  std::optional<std::uint64_t> largest_;
};

}  // namespace rota
