// core/rounds/sparse_rows.h -- parts of an open round: some rows of a table, and how they are summed.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/key_runs.h"
#include "core/base/tree.h"
#include "core/rounds/zeroed.h"
#include "rota/bytes.h"
#include "rota/job.h"
#include "rota/open_parts.h"

namespace rota {

class OpenScratch;

// Some rows, whose numbers are where they were made or where a message has them: shards often write to rows apart, and
// then nothing is copied before the numbers are needed in one place.  Copies share them.
class SparseRows {
 public:
  SparseRows() = default;
  // `runs` are ascending and apart.
  SparseRows(std::vector<KeyRun> runs, std::vector<double> numbers, std::uint32_t width);
  // As they were sent; copied if that is no place for doubles.  REQUIRES as many bytes as the runs want.
  SparseRows(std::vector<KeyRun> runs, const Bytes& numbers, std::uint32_t width);

  const std::vector<KeyRun>& runs() const { return runs_; }
  std::uint32_t width() const { return width_; }  // of a row; of no meaning without rows
  // Row after row, in pieces of whole rows, each one run of numbers.
  struct Piece {
    std::shared_ptr<const void> owner;
    std::span<const double> numbers;
  };
  const std::vector<Piece>& pieces() const { return pieces_; }
  std::size_t numbers() const { return static_cast<std::size_t>(keys_in(runs_)) * width_; }
  // Row after row.
  std::vector<double> joined() const;
  // The rows of a range, and their numbers in one run: shared, if they are in one piece.
  std::pair<std::vector<KeyRun>, Bytes> in_range(const KeyRange& range) const;
  std::size_t numbers_in(const KeyRange& range) const;

  // Of all rows in either; where a row is in both, the left one's numbers combined with the right one's.  So a sum over
  // the tree depends on which shards have the row, and not on which worker hosts them.
  friend SparseRows sum_of(SparseRows left, SparseRows right, Combine how);

 private:
  friend OpenScratch;

  void add_piece(std::shared_ptr<const void> owner, std::span<const double> numbers) {
    if (!numbers.empty()) pieces_.push_back({std::move(owner), numbers});
  }
  Bytes numbers_between(std::size_t first, std::size_t end) const;

  std::vector<KeyRun> runs_;
  std::vector<Piece> pieces_;
  std::uint32_t width_ = 0;
};

inline bool can_add(const SparseRows& left, const SparseRows& right) {
  return left.width() == right.width() || left.runs().empty() || right.runs().empty();
}

SparseRows sum_of(SparseRows left, SparseRows right, Combine how = Combine::sum);

class RowWalk {
 public:
  explicit RowWalk(const SparseRows& rows) : rows_(rows) { step(); }

  bool done() const { return run_ == rows_.runs().size(); }
  // The first row that is left, and how many rows after it are neighbours by key and in memory; after the last, a
  // key larger than all, and none.
  Key key() const { return key_; }
  std::uint64_t left() const { return left_; }
  // The numbers of the next `rows` rows, which are passed now.  REQUIRES 0 < rows <= left().
  const double* take(std::uint64_t rows);

 private:
  void step();

  const SparseRows& rows_;
  std::size_t run_ = 0, piece_ = 0;
  std::uint64_t in_run_ = 0;  // rows of the run that are passed
  std::size_t in_piece_ = 0;  // numbers of the piece that are passed
  Key key_ = 0;
  std::uint64_t left_ = 0;
};

using SparseTreeSum = TreeSumOf<SparseRows>;

class OpenScratch {
 public:
  // For a dense table.
  explicit OpenScratch(const Table& table);

  std::uint32_t width() const { return width_; }
  OpenParts parts() { return {keys_, width_, numbers_.data(), touched_.data(), identity_of(combine_)}; }
  // The rows that were asked for; then there are none.  Costs a look at a bit for each row.
  std::vector<KeyRun> take_runs();
  // The parts of rows: copied; or where they are, for as long as `owner` keeps this.
  SparseRows copied(std::vector<KeyRun> runs) const;
  SparseRows shared(std::vector<KeyRun> runs, const std::shared_ptr<const void>& owner) const;

 private:
  std::span<const double> numbers(const KeyRun& run) const {
    return {numbers_.data() + static_cast<std::size_t>(run.first) * width_,
            static_cast<std::size_t>(run.count) * width_};
  }

  Key keys_;
  std::uint32_t width_;
  Combine combine_;
  Zeroed<double> numbers_;         // row after row; what they are is of no meaning where the bit is not set
  Zeroed<std::uint64_t> touched_;  // a bit for each row
};

// The memory that open rounds' parts are made in, used again by one push after the other.  Any thread may use it.
class ScratchPool {
 public:
  std::unique_ptr<OpenScratch> take(TableId id, const Table& table, ShardId shard);
  // The parts that the shard has made.  Long runs of rows are not copied: their memory comes back to this shard, which
  // will mostly write to the same rows, once the parts are no longer needed.
  SparseRows parts(TableId id, ShardId shard, std::unique_ptr<OpenScratch> scratch);

 private:
  struct Free {
    std::mutex mutex;
    // By table, and the shard; none: for any shard.  Guarded by `mutex`.
    std::map<std::pair<TableId, std::optional<ShardId>>, std::vector<std::unique_ptr<OpenScratch>>> scratches;
  };
  std::shared_ptr<Free> free_ = std::make_shared<Free>();  // parts may live longer than the pool
};

}  // namespace rota
