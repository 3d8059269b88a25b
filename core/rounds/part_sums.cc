#include "core/rounds/part_sums.h"

#include "core/base/check.h"

namespace rota {

PartSums::PartSums(ShardId first, ShardId end, std::uint32_t shards)
    : shards_(shards), nodes_(largest_subtrees(first, end, shards)) {}

std::vector<std::pair<std::uint32_t, Parts>> PartSums::add(RoundId round, ShardId shard, std::vector<double> parts,
                                                           Bytes note, const Routing& routing) {
  std::vector<std::pair<std::uint32_t, Parts>> out;
  for (const TreeNode node : nodes_) {
    if ((shard >> node.level) != node.index) continue;
    const auto open = open_.try_emplace({round, node}, Open{TreeSum(shards_, node), {}}).first;
    const bool added = open->second.sum.add({0, shard}, std::move(parts));
    ROTA_CHECK(added);
    open->second.notes[shard] = std::move(note);
    const std::vector<double>* total = open->second.sum.total();
    if (total == nullptr) return out;
    std::map<std::uint32_t, Writer> rows;
    for (const std::uint32_t home : routing.homes) rows[home];
    for (std::size_t i = 0; i < routing.partition_of.size(); ++i)
      rows[routing.partition_of[i]].append(total->data() + routing.offsets[i],
                                           (routing.offsets[i + 1] - routing.offsets[i]) * sizeof(double));
    // Notes are there only if the table has a single partition, and so go one way.
    std::vector<std::uint64_t> sizes;
    Writer notes;
    for (const auto& [from, text] : open->second.notes) {
      sizes.push_back(text.size());
      notes.append(text.view().data(), text.size());
    }
    const Bytes all_notes = Bytes::from(notes.take());
    for (auto& [partition, bytes] : rows)
      out.emplace_back(partition, Parts{round, node, Bytes::from(bytes.take()), sizes, all_notes});
    open_.erase(open);
    return out;
  }
  return out;
}

}  // namespace rota
