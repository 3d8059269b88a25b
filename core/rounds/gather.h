// core/rounds/gather.h -- the parts of rounds: a worker adds those of its shards, and a partition collects them until
// all shards' are in.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/key_runs.h"
#include "core/base/status.h"
#include "core/base/tree.h"
#include "core/rounds/sparse_rows.h"
#include "core/wire/message.h"

namespace rota {

// Adds the hosted shards' parts of a round, and sends the sums of the largest whole subtrees in place of the parts
// themselves.
class PartSums {
 public:
  // Of the shards first .. end-1 of `shards`.
  PartSums(ShardId first, ShardId end, std::uint32_t shards);

  // Where the numbers of a round go: the partition of each row, where its numbers begin (and where all end), and the
  // partitions that are to get a message even if none of its rows is theirs.
  struct Routing {
    const std::vector<std::uint32_t>& partition_of;
    const std::vector<std::size_t>& offsets;
    const std::set<std::uint32_t>& homes;
  };
  // A shard's parts of a round, row after row, and its note.  Returns what can be sent now.
  std::vector<std::pair<std::uint32_t, Parts>> add(RoundId round, ShardId shard, std::vector<double> parts, Bytes note,
                                                   const Routing& routing, Combine how = Combine::sum);

  // The same of an open round: `ranges` has the keys of each of its partitions, all of which get a message; a shard's
  // own, if no rows of shards were added up and many numbers would only be copied into one message.
  std::vector<std::pair<std::uint32_t, Parts>> add_open(RoundId round, ShardId shard, SparseRows parts, Bytes note,
                                                        const std::map<std::uint32_t, KeyRange>& ranges,
                                                        Combine how = Combine::sum);

 private:
  template <typename Sum>
  struct Open {
    TreeSumOf<Sum> sum;
    std::map<ShardId, Bytes> notes;
    std::map<ShardId, SparseRows>
        leaves;  // of an open round: what was added up, of which the sum may share the numbers
  };
  template <typename Sum>
  using OpenSums = std::map<std::pair<RoundId, TreeNode>, Open<Sum>>;

  // Adds a shard's share to what its subtree has so far; the whole of it once it is whole.
  template <typename Sum>
  std::optional<std::pair<TreeNode, Open<Sum>>> add_to(OpenSums<Sum>& open, RoundId round, ShardId shard, Sum parts,
                                                       Bytes note, Combine how);

  std::uint32_t shards_;
  std::vector<TreeNode> nodes_;
  OpenSums<std::vector<double>> open_;
  OpenSums<SparseRows> open_sparse_;
};

class Gather {
 public:
  // Parts may overtake EXPECT of their round; those of at most this many rounds wait for it.
  static constexpr std::size_t kEarlyRoundsMost = 4096;

  explicit Gather(std::uint32_t shards) : shards_(shards) {}

  // A round that is to be committed, and how many numbers its rows' parts have; of an open round, how many a row's part
  // has, and of which keys rows may be.  `how` parts are combined is that of the table.  Rounds come in ascending
  // order.
  Status expect(const Expect& expect, std::size_t numbers, const KeyRange& range = {}, Combine how = Combine::sum);
  // An error, the sender's fault, if the parts overlap others, have another size, are of other rows, or of a round long
  // done.
  Status add(const Parts& parts);

  struct Whole {
    Expect expect;
    std::vector<double> sum;   // row after row
    SparseRows open;           // of an open round, in place of it: of the rows that shards had parts for
    std::vector<Bytes> notes;  // by shard
  };
  // The earliest expected round, if it is whole; rounds are given out in their order.
  std::optional<Whole> take();
  // Whether one is expected that was not taken.
  bool expects() const {
    return std::ranges::any_of(open_, [](const auto& one) { return one.second.expect.has_value(); });
  }

 private:
  struct Open {
    explicit Open(std::uint32_t shards) : sum(shards), notes(shards), sparse(shards) {}

    std::optional<Expect> expect;
    std::optional<std::size_t> bytes;  // of every part; known with the first of them, or once expected
    std::optional<Combine> how;        // the same
    TreeSum sum;
    std::vector<Bytes> notes;
    // An open round has these in place of `sum`; `bytes` is that of a row's part, known with the first row.
    std::optional<bool> is_open;  // known with the first part, or once expected
    SparseTreeSum sparse;
    KeyRange range;  // which rows may be there; before it is expected, which there are
  };
  Status add_open(Open& one, const Parts& parts);
  Status add_notes(Open& one, const Parts& parts);
  Open& open(RoundId round) { return open_.try_emplace(round, shards_).first->second; }

  std::uint32_t shards_;
  RoundId taken_ = 0;
  std::map<RoundId, Open> open_;
};

}  // namespace rota
