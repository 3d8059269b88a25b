// core/rounds/commits.h -- puts the partitions' commits of a round together for the shards of a worker, and finds out
// what changed; and what they report of it for its scheduler.
//
// Partitions commit on their own and DELTAS come in any order; what a plugin receives must not depend on that.  So
// rounds are given out whole, in their own order, each with its rows in the order in which the schedule named them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/base/status.h"
#include "core/rounds/rows.h"
#include "core/rounds/rules.h"
#include "core/wire/message.h"
#include "rota/job.h"
#include "rota/round.h"
#include "rota/schedule.h"

namespace rota {

inline RoundRows rows_of_round(const SharedRows& rows) {
  return {rows.round, rows.table, rows.keys, rows.blocks, rows.open};
}

// What a partition has committed of an open round.
struct CommittedRows {
  std::vector<KeyRun> runs;
  Bytes values;
};

struct RoundDeltas {
  SharedRows rows;
  std::size_t width = 0;                        // of a row
  std::vector<double> before, values, changes;  // row after row
  Bytes reply;
  ChangeNorms norms = {};
  // Of a dense table, whose rows are in a view (core/rounds/views.h): there is neither `before` nor `changes`, and of
  // an open round no key and no value, but these, ascending.
  bool in_view = false;
  std::vector<CommittedRows> open = {};

  // Into this object; none of rows that are in a view.
  std::vector<Delta> deltas() const;
  Commit commit(const std::vector<Delta>& deltas) const {
    return {rows.round, rows.table, deltas, rows.argument, reply, norms};
  }
};

// The partition of each row of a round, and those that commit them: one even without rows, if the table has a single
// partition, and all of them in an open round.
std::vector<std::uint32_t> partitions_of(const Table& table, const SharedRows& rows, std::uint32_t partitions);
std::set<std::uint32_t> homes_of(const Table& table, const SharedRows& rows,
                                 const std::vector<std::uint32_t>& partition_of, std::uint32_t partitions);

// Of an open round: its partitions, and of which keys each has the rows.
std::map<std::uint32_t, KeyRange> ranges_of(const Table& table, std::uint32_t partitions);

class Commits {
 public:
  Commits(std::vector<Table> tables, std::uint32_t partitions);

  // A round is out.  An error if check_rows finds one.
  Status begin(const SharedRows& rows);
  // In a new job, the starting value of a row.  REQUIRES a shared table that has it.
  void set(TableId table, Key key, std::span<const double> row) {
    if (!tables_[table].dense) std::ranges::copy(row, replica_[table].at(key).begin());
  }
  // In a resumed job, rows of one table in one partition as of the checkpoint: DELTAS of round 0.
  Status restore(const Deltas& deltas);
  // Every partition has restored every shared table.
  bool restored() const {
    const auto shared =
        std::ranges::count_if(tables_, [](const Table& table) { return table.kind == Table::Kind::shared; });
    return restorations_ == static_cast<std::size_t>(shared) * partitions_;
  }
  // A partition's commit; gives the rounds that are whole now, in order.  An error if the commit was not due.
  Result<std::vector<RoundDeltas>> commit(std::uint32_t partition, const Deltas& deltas);

  const std::vector<Table>& tables() const { return tables_; }
  const Table& table(TableId table) const { return tables_[table]; }
  bool is_open(RoundId round) const { return open_.contains(round); }
  // Of a round that is out.
  const SharedRows& rows(RoundId round) const { return open_.at(round).rows; }
  const Table& table_of(RoundId round) const { return tables_[rows(round).table]; }
  // The partitions that commit the rows of a round that is out, and that of each row.
  std::set<std::uint32_t> homes(RoundId round) const {
    const Open& open = open_.at(round);
    return homes_of(tables_[open.rows.table], open.rows, open.partition_of, partitions_);
  }
  const std::vector<std::uint32_t>& partitions_of(RoundId round) const { return open_.at(round).partition_of; }
  // The rows of a round as they were before the rounds `unseen` (given out earlier, ascending); zeros where nothing was
  // committed.  REQUIRES that they are not in a view.
  std::vector<double> values(RoundId round, std::span<const std::shared_ptr<const RoundDeltas>> unseen = {}) const;

 private:
  struct Open {
    SharedRows rows;
    std::vector<std::uint32_t> partition_of;
    std::set<std::uint32_t> due;
    std::vector<double> values;
    Bytes reply;
    std::map<std::uint32_t, CommittedRows> committed;  // of an open round, by partition, which is the order of keys
  };
  Status take_open(Open& open, std::uint32_t partition, const Deltas& deltas) const;
  Status take_named(Open& open, std::uint32_t partition, const Deltas& deltas) const;
  RoundDeltas give(Open open);

  std::size_t restorations_ = 0;

  std::vector<Table> tables_;
  std::uint32_t partitions_;
  std::map<RoundId, Open> open_;
  std::vector<RowStore> replica_;  // by table, of those that are not dense; rows that were ever committed
};

// As with Commits, rounds are given out whole and in their own order, whichever partition was first.  No row of a table
// is kept: partitions report values and changes, if the schedule requests them.
class Feedbacks {
 public:
  Feedbacks(std::vector<Table> tables, std::uint32_t partitions, Feedback wish)
      : tables_(std::move(tables)), partitions_(partitions), wish_(wish) {}

  // A round is out.  An error if check_rows finds one.
  Status begin(const SharedRows& rows);
  // What a partition reports; gives the rounds that are whole now.  An error if it was not due or does not fit.
  Result<std::vector<RoundDeltas>> add(std::uint32_t partition, const RoundFeedback& feedback);

 private:
  struct Open {
    SharedRows rows;
    std::vector<std::uint32_t> partition_of;
    std::set<std::uint32_t> homes;
    std::map<std::uint32_t, RoundFeedback> reported;  // by partition: norms are summed in this order
  };

  bool fits(const Open& open, std::uint32_t partition, const RoundFeedback& feedback) const;
  RoundDeltas join(Open open) const;

  std::vector<Table> tables_;
  std::uint32_t partitions_;
  Feedback wish_;
  std::map<RoundId, Open> open_;
};

}  // namespace rota
