// core/rounds/part_sums.h -- adds the hosted shards' parts of a round, and sends the sums of the largest whole subtrees
// in place of the parts themselves.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/key_runs.h"
#include "core/base/tree.h"
#include "core/rounds/sparse_rows.h"
#include "core/wire/message.h"

namespace rota {

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
                                                   const Routing& routing);

  // The same of an open round: `ranges` has the keys of each of its partitions, all of which get a message.
  std::vector<std::pair<std::uint32_t, Parts>> add_open(RoundId round, ShardId shard, SparseRows parts, Bytes note,
                                                        const std::map<std::uint32_t, KeyRange>& ranges);

 private:
  template <typename Sum>
  struct Open {
    TreeSumOf<Sum> sum;
    std::map<ShardId, Bytes> notes;
  };
  template <typename Sum>
  using OpenSums = std::map<std::pair<RoundId, TreeNode>, Open<Sum>>;

  // Adds a shard's share to what its subtree has so far; the whole of it once it is whole.
  template <typename Sum>
  std::optional<std::pair<TreeNode, Open<Sum>>> add_to(OpenSums<Sum>& open, RoundId round, ShardId shard, Sum parts,
                                                       Bytes note);

  std::uint32_t shards_;
  std::vector<TreeNode> nodes_;
  OpenSums<std::vector<double>> open_;
  OpenSums<SparseRows> open_sparse_;
};

}  // namespace rota
