// worker/epoch_tally.h -- what a worker counts of every epoch that is not over: items, times, bytes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "core/runtime/node.h"

namespace rota {

class EpochTallies {
 public:
  EpochTallies(std::uint32_t shards, std::uint32_t threads) : shards_(shards), threads_(threads) {}

  // A task of the epoch is here: unless another came before, the epoch begins.
  void begin(Epoch epoch, const Outbox& out) { of(epoch, out); }
  void add_work(Epoch epoch, std::uint64_t items, Nanoseconds took, const Outbox& out) {
    EpochDone& counted = of(epoch, out).counted;
    counted.items += items;
    counted.compute_ns += static_cast<std::uint64_t>(took);
  }
  // Bytes of a slice that leaves; they count in the newest epoch.
  void add_slice_bytes(std::uint64_t bytes) {
    if (!tallies_.empty()) tallies_.rbegin()->second.counted.slice_bytes += bytes;
  }
  // Bytes of an exchange's messages, wherever they go.
  void add_exchange_bytes(Epoch epoch, std::uint64_t bytes, const Outbox& out) {
    of(epoch, out).counted.exchange_bytes += bytes;
  }
  // The epoch is over for a shard.  What was counted, once it is over for all.
  std::optional<EpochDone> shard_done(Epoch epoch, const Outbox& out) {
    if (++of(epoch, out).shards_done < shards_) return std::nullopt;
    const Tally one = tallies_.extract(epoch).mapped();
    EpochDone done = one.counted;
    const auto available = static_cast<std::uint64_t>((out.now() - one.began) * threads_);
    done.epoch = epoch;
    done.wait_ns = available - std::min(available, done.compute_ns);
    done.bytes_sent = out.world().bytes_sent - one.bytes_before;
    done.memory = out.world().memory;
    // An epoch that was given out ahead begins for this worker when the one before it ends.
    for (auto& [later, next] : tallies_) next.begin(out);
    return done;
  }

 private:
  struct Tally {
    EpochDone counted = {};
    std::uint32_t shards_done = 0;
    Nanoseconds began = 0;
    std::uint64_t bytes_before = 0;

    void begin(const Outbox& out) {
      began = out.now();
      bytes_before = out.world().bytes_sent;
    }
  };

  Tally& of(Epoch epoch, const Outbox& out) {
    const auto [found, is_new] = tallies_.try_emplace(epoch);
    if (is_new) found->second.begin(out);
    return found->second;
  }

  std::uint32_t shards_, threads_;
  std::map<Epoch, Tally> tallies_;
};

}  // namespace rota
