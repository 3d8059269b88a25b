// worker/epoch_tally.h -- what a worker counts of every epoch that is not over: items, times, bytes.
#pragma once
#include <cstdint>
#include <map>

#include "core/runtime/node.h"

namespace rota {

class EpochTallies {
 public:
  EpochTallies(std::uint32_t shards, std::uint32_t threads) : shards_(shards), threads_(threads) {}

  // A task of the epoch is here: unless another came before, the epoch begins.
  void begin(Epoch epoch, const Outbox& out) { of(epoch, out); }
  void add_work(Epoch epoch, std::uint64_t items, Nanoseconds took, const Outbox& out);
  // Bytes of a slice that leaves; they count in the newest epoch.
  void add_slice_bytes(std::uint64_t bytes);
  // Bytes of an exchange's messages, wherever they go.
  void add_exchange_bytes(Epoch epoch, std::uint64_t bytes, const Outbox& out);
  // The epoch is over for a shard.  True if it is over for all: then report() tells of it, once.
  bool shard_done(Epoch epoch, const Outbox& out);
  EpochDone report(Epoch epoch, const Outbox& out);

 private:
  struct Tally {
    std::uint32_t shards_done = 0;
    std::uint64_t items = 0;
    Nanoseconds compute = 0;
    Nanoseconds began = 0;
    std::uint64_t bytes_before = 0;
    std::uint64_t slice_bytes = 0, exchange_bytes = 0;
  };
  Tally& of(Epoch epoch, const Outbox& out);

  std::uint32_t shards_, threads_;
  std::map<Epoch, Tally> tallies_;
};

}  // namespace rota
