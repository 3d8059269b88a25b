#include "worker/epoch_tally.h"

#include <algorithm>

namespace rota {

EpochTallies::Tally& EpochTallies::of(Epoch epoch, const Outbox& out) {
  const auto [found, is_new] = tallies_.try_emplace(epoch);
  if (is_new) {
    found->second.began = out.now();
    found->second.bytes_before = out.world().bytes_sent;
  }
  return found->second;
}

void EpochTallies::add_work(Epoch epoch, std::uint64_t items, Nanoseconds took, const Outbox& out) {
  Tally& one = of(epoch, out);
  one.items += items;
  one.compute += took;
}

void EpochTallies::add_slice_bytes(std::uint64_t bytes) {
  if (!tallies_.empty()) tallies_.rbegin()->second.slice_bytes += bytes;
}

void EpochTallies::add_exchange_bytes(Epoch epoch, std::uint64_t bytes, const Outbox& out) {
  of(epoch, out).exchange_bytes += bytes;
}

bool EpochTallies::shard_done(Epoch epoch, const Outbox& out) {
  return ++of(epoch, out).shards_done == shards_;
}

EpochDone EpochTallies::report(Epoch epoch, const Outbox& out) {
  const Tally one = of(epoch, out);
  EpochDone done;
  done.epoch = epoch;
  done.items = one.items;
  done.compute_ns = static_cast<std::uint64_t>(one.compute);
  const Nanoseconds available = (out.now() - one.began) * threads_;
  done.wait_ns = static_cast<std::uint64_t>(std::max<Nanoseconds>(available - one.compute, 0));
  done.bytes_sent = out.world().bytes_sent - one.bytes_before;
  done.slice_bytes = one.slice_bytes;
  done.exchange_bytes = one.exchange_bytes;
  done.memory = out.world().memory;
  tallies_.erase(epoch);
  // An epoch that was given out ahead begins for this worker when the one before it ends.
  for (auto& [later, next] : tallies_) {
    next.began = out.now();
    next.bytes_before = out.world().bytes_sent;
  }
  return done;
}

}  // namespace rota
