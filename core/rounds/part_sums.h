// core/rounds/part_sums.h -- adds the hosted shards' parts of a round, and sends the sums of the largest whole subtrees
// in place of the parts themselves.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/base/tree.h"
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

 private:
  struct Open {
    TreeSum sum;
    std::map<ShardId, Bytes> notes;
  };

  std::uint32_t shards_;
  std::vector<TreeNode> nodes_;
  std::map<std::pair<RoundId, TreeNode>, Open> open_;
};

}  // namespace rota
