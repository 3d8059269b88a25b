// worker/part_sums.h -- adds the hosted shards' parts of a round, and sends the sums of the largest whole subtrees in
// place of the parts themselves.
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/tree.h"
#include "wire/message.h"

namespace rota {

class PartSums {
 public:
  // Of the shards first .. end-1 of `shards`.
  PartSums(ShardId first, ShardId end, std::uint32_t shards);

  // A shard's parts of a round, row after row; `partitions` tells where each row lives.  Returns what can be sent now.
  std::vector<std::pair<std::uint32_t, Parts>> add(RoundId round, ShardId shard, std::vector<double> parts,
                                                   const std::vector<std::uint32_t>& partitions);

 private:
  std::uint32_t shards_;
  std::vector<TreeNode> nodes_;
  std::map<std::pair<RoundId, TreeNode>, TreeSum> sums_;
};

}  // namespace rota
