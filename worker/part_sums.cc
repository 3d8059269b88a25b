#include "worker/part_sums.h"

#include "base/check.h"

namespace rota {

PartSums::PartSums(ShardId first, ShardId end, std::uint32_t shards)
    : shards_(shards), nodes_(largest_subtrees(first, end, shards)) {}

std::vector<std::pair<std::uint32_t, Parts>> PartSums::add(RoundId round, ShardId shard, std::vector<double> parts,
                                                           const std::vector<std::uint32_t>& partitions) {
  std::vector<std::pair<std::uint32_t, Parts>> out;
  for (const TreeNode node : nodes_) {
    if ((shard >> node.level) != node.index) continue;
    const auto sum = sums_.try_emplace({round, node}, shards_, node).first;
    const bool added = sum->second.add({0, shard}, std::move(parts));
    ROTA_CHECK(added);
    const std::vector<double>* total = sum->second.total();
    if (total == nullptr) return out;
    const std::size_t width = total->size() / partitions.size();
    std::map<std::uint32_t, Writer> rows;
    for (std::size_t i = 0; i < partitions.size(); ++i)
      rows[partitions[i]].append(total->data() + i * width, width * sizeof(double));
    for (auto& [partition, bytes] : rows) out.emplace_back(partition, Parts{round, node, Bytes::from(bytes.take())});
    sums_.erase(sum);
    return out;
  }
  return out;
}

}  // namespace rota
