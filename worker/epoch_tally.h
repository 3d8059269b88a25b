// worker/epoch_tally.h -- what a worker counts of every epoch that is not over: items, times, bytes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "core/runtime/node.h"

namespace rota {

// A compute thread's turn with a shard.
struct Worked {
  std::uint64_t items = 0;
  Nanoseconds compute = 0, wire = 0;  // wire: making slices into bytes and back
};

class EpochTallies {
 public:
  EpochTallies(std::uint32_t shards, std::uint32_t threads) : shards_(shards), threads_(threads) {}

  // A task of the epoch is here: unless another came before, the epoch begins.
  void begin(Epoch epoch, const Outbox& out) { of(epoch, out); }
  void add_work(Epoch epoch, const Worked& worked, const Outbox& out) {
    EpochDone& counted = of(epoch, out).counted;
    counted.items += worked.items;
    counted.compute_ns += static_cast<std::uint64_t>(worked.compute);
    counted.wire_ns += static_cast<std::uint64_t>(worked.wire);
  }
  // Bytes of a slice that leaves, and how long it took to make them since the work on it; in the newest epoch.
  void add_slice(std::uint64_t bytes, Nanoseconds wire) {
    if (tallies_.empty()) return;
    EpochDone& counted = tallies_.rbegin()->second.counted;
    counted.slice_bytes += bytes;
    counted.wire_ns += static_cast<std::uint64_t>(wire);
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
    const Outbox::Usage usage = out.usage();
    const auto available = static_cast<std::uint64_t>((out.now() - one.began) * threads_);
    done.epoch = epoch;
    done.wire_ns += static_cast<std::uint64_t>(usage.wire - one.wire_before);
    done.wait_ns = available - std::min(available, done.compute_ns + done.wire_ns);
    done.bytes_sent = out.world().bytes_sent - one.bytes_before;
    done.memory = usage.memory;
    done.peak_memory = usage.peak_memory;
    // An epoch that was given out ahead begins for this worker when the one before it ends.
    for (auto& [later, next] : tallies_) next.begin(out, usage.wire);
    return done;
  }

 private:
  struct Tally {
    EpochDone counted = {};
    std::uint32_t shards_done = 0;
    Nanoseconds began = 0;
    std::uint64_t bytes_before = 0;
    Nanoseconds wire_before = 0;

    void begin(const Outbox& out, Nanoseconds wire) {
      began = out.now();
      bytes_before = out.world().bytes_sent;
      wire_before = wire;
    }
  };

  Tally& of(Epoch epoch, const Outbox& out) {
    const auto [found, is_new] = tallies_.try_emplace(epoch);
    // One that is given out ahead begins again later.
    if (is_new) found->second.begin(out, found == tallies_.begin() ? out.usage().wire : 0);
    return found->second;
  }

  std::uint32_t shards_, threads_;
  std::map<Epoch, Tally> tallies_;
};

}  // namespace rota
