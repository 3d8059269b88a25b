// rota/round.h -- rounds and the shards' shares of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "rota/argument.h"
#include "rota/bytes.h"
#include "rota/numerics/seed_mixer.h"
#include "rota/open_parts.h"
#include "rota/pull_entries.h"
#include "rota/types.h"

namespace rota {

// What may change at once.  A round has shared rows, owned slices, or both; a shard does its slice first.  A round
// without slices is a shared one even if it names no row: then the shards only send notes and pull replies.
struct Round {
  TableId table = 0;                          // of the shared rows
  std::vector<Key> shared;                    // every shard makes a part for each of these rows
  std::vector<std::uint32_t> blocks;          // sizes of runs of `shared`; see below.  Empty: every row for itself
  Argument argument;                          // for every push and pull of the round: a penalty, a step, ...
  std::vector<std::optional<SliceId>> owned;  // owned[s]: the slice that shard s alone updates, in place; or empty
  bool last_visits = false;                   // to these slices, in this epoch
  bool ends_epoch = false;                    // the last round of its epoch
  bool ends_job = false;                      // and of the job, if all schedulers say so in the same epoch
  // The round names no rows of its table, which is a dense one: each shard makes parts for the rows that it chooses.
  // The rows of the round are those for which any shard made a part, in the order of their keys.
  bool open = false;
  // An exchange round: the shards work on their replicas and send along this one of App::dataflows.  It has neither
  // shared rows nor slices.
  std::optional<std::uint32_t> dataflow = {};
};

inline bool is_shared(const Round& round) {
  return !round.dataflow && (!round.shared.empty() || round.open || round.owned.empty());
}

// Blocks.  Rows that interfere with each other must not change at once, but may change one after the other in the same
// round.  A block is a run of such rows: pull rewrites them in sequence, and for that a row's part describes how it
// interferes with those before it in its block.  The part of the q-th row of a block, q = 0, 1, ..., is
// Table::part_width + q * Table::block_width numbers long.

// One shard's share of a round with shared rows.
struct SharedTask {
  Epoch epoch;
  RoundId round;
  TableId table;
  std::span<const Entry> entries;         // in the order of Round::shared
  std::span<const std::uint32_t> blocks;  // of the round
  Argument argument;                      // of the round
  Writer& note;                           // to pull, in addition to the parts; see PullTask::notes
  OpenParts parts = {};                   // by key, in both kinds of rounds; an open one has no entries
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

// One shard's visit to a slice.
struct SliceTask {
  SliceId slice;
  Epoch epoch;  // 0: the starting pass
  RoundId round;
  std::uint32_t visit;  // earlier visits of shards to the slice in this epoch
  bool last_visit;      // none will visit it in this epoch after this one (Round::last_visits)
  Argument argument;    // of the round
  Budget budget;
};

// What a commit changed in a row: its new value, and the new minus the old.
struct Delta {
  Key key;
  std::span<const double> value;
  std::span<const double> change;
};

// The size of the change that a commit made to the rows of its round, over all their numbers: the sum of |new - old|,
// the sum of their squares, and the largest.
struct ChangeNorms {
  double l1 = 0;
  double l2_squared = 0;
  double largest = 0;

  void add(double change) {
    const double size = change < 0 ? -change : change;
    l1 += size;
    l2_squared += change * change;
    largest = size > largest ? size : largest;
  }
  ChangeNorms& operator+=(const ChangeNorms& other) {
    l1 += other.l1;
    l2_squared += other.l2_squared;
    largest = other.largest > largest ? other.largest : largest;
    return *this;
  }
  friend bool operator==(const ChangeNorms&, const ChangeNorms&) = default;
};

// The result of a round, as workers and schedulers receive it.
struct Commit {
  RoundId round;  // in a scheduler, by its own count: a resumed job with several of them continues at another number
  TableId table;
  // In the order of Round::shared, in an open round of the keys.  In a scheduler, if it asks for them; in a worker none
  // of a dense table, whose rows are in the view.
  std::span<const Delta> deltas;
  Argument argument;       // of the round
  Bytes reply;             // of pull, if it is for this receiver; may be kept, it is not copied for each shard
  ChangeNorms norms = {};  // in a scheduler that asks for them
};

// Who is sent pull's reply.
enum class ReplyTo : std::uint8_t { all, shards, schedule };

// The rows of one round that are in one partition: all of them if the table has a single partition.
struct PullTask {
  RoundId round;
  TableId table;
  PullEntries entries;                    // in the order of Round::shared, in an open round of the keys
  std::span<const std::uint32_t> blocks;  // of the round, if the table has a single partition
  Argument argument;                      // of the round
  std::span<const Bytes> notes;  // by shard; in the first partition, if all rows are there or the round is open
  Writer& reply;                 // in addition to the rows; only where there are notes
  std::uint64_t seed = 1;        // see random()
  // Set by a pull whose reply is long and not for all.
  mutable ReplyTo reply_to = ReplyTo::all;

  // The row's own generator in this round, so that no draw depends on the number of partitions.
  Random random(Key key) const { return random_named({seed, round, table, key}); }
};

}  // namespace rota
