// rota/round.h -- rounds and the shards' shares of them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rota/random.h"
#include "rota/types.h"

namespace rota {

// What may change at once.  A round has shared rows, owned slices, or both; a shard first does its slice.
struct Round {
  TableId table = 0;                          // of the shared rows
  std::vector<Key> shared;                    // every shard makes a part for each of these rows
  std::vector<std::optional<SliceId>> owned;  // owned[s]: the slice that shard s alone updates, in place; or empty
  bool ends_epoch = false;                    // the last round of its epoch
};

// A shared row in the hands of one shard.
struct Entry {
  Key key;
  std::span<const double> value;  // as last committed; zeros before the first commit
  std::span<double> part;         // to fill in: this shard's part; zeros on entry
};

// One shard's share of a round with shared rows.
struct SharedTask {
  Epoch epoch;
  RoundId round;
  TableId table;
  std::span<const Entry> entries;
};

// What a commit changed: the row's new value, and the new minus the old.
struct Delta {
  TableId table;
  Key key;
  std::span<const double> value;
  std::span<const double> change;
};

// A row in the hands of the store, at the end of a round.
struct PullEntry {
  Key key;
  std::span<const double> sum;  // of all shards' parts, elementwise, in the order of the fixed tree
  std::span<double> value;      // to rewrite in place
};

// The rows of one round that live in one partition.
struct PullTask {
  RoundId round;
  TableId table;
  std::span<const PullEntry> entries;
};

// Time control (Harp): how long a visit to a slice may last.  Not reproducible, and off by default.
class Budget {
 public:
  Budget() = default;
  Budget(std::int64_t deadline_ns, std::int64_t (*now_ns)()) : deadline_ns_(deadline_ns), now_ns_(now_ns) {}

  bool limited() const { return now_ns_ != nullptr; }
  // Whether the visit must end now.  Reads a clock if there is a limit: ask once per row, not per item.
  bool spent() const { return limited() && now_ns_() >= deadline_ns_; }

 private:
  std::int64_t deadline_ns_ = 0;
  std::int64_t (*now_ns_)() = nullptr;
};

}  // namespace rota
