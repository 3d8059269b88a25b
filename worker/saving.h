// worker/saving.h -- makes this worker's objects of a checkpoint into bytes and puts them, few at a time: no more than
// credit allows is encoded or on its way to a partition's process.
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
  };

  Saving(Epoch epoch, std::vector<Piece> pieces, const Limits& limits);

  // Starts what may be started now; call it in every tick.  SAVED goes behind the last PUT.  This object outlives what
  // it started.
  void go_on(Outbox& out) { go_on(out, {}, 0); }
  bool done() const { return left_ == 0; }

 private:
  // `bytes` were sent to `last` in this step.
  void go_on(Outbox& out, NodeId last, std::uint64_t bytes);
  void start(Piece piece, Outbox& out);

  Epoch epoch_;
  Limits limits_;
  std::list<Piece> todo_;
  std::size_t left_ = 0;      // not put yet
  std::size_t encoding_ = 0;  // of them, with the compute threads
  // The largest so far.  How large the first is is not known before it is there, so it is alone.
  std::optional<std::uint64_t> largest_;
};

}  // namespace rota
