#include "core/rounds/part_sums.h"

#include <tuple>

#include "core/base/check.h"

namespace rota {

namespace {

// Notes are there only if the table has a single partition, and so go one way.
Parts with_notes(RoundId round, TreeNode node, const std::map<ShardId, Bytes>& notes) {
  Parts parts;
  parts.round = round;
  parts.node = node;
  Writer all;
  for (const auto& [from, text] : notes) {
    parts.note_sizes.push_back(text.size());
    all.append(text.view().data(), text.size());
  }
  parts.notes = Bytes::from(all.take());
  return parts;
}

}  // namespace

PartSums::PartSums(ShardId first, ShardId end, std::uint32_t shards)
    : shards_(shards), nodes_(largest_subtrees(first, end, shards)) {}

template <typename Sum>
std::optional<std::pair<TreeNode, PartSums::Open<Sum>>> PartSums::add_to(OpenSums<Sum>& open, RoundId round,
                                                                         ShardId shard, Sum parts, Bytes note) {
  for (const TreeNode node : nodes_) {
    if ((shard >> node.level) != node.index) continue;
    const auto one = open.try_emplace({round, node}, Open<Sum>{TreeSumOf<Sum>(shards_, node), {}}).first;
    const bool added = one->second.sum.add({0, shard}, std::move(parts));
    ROTA_CHECK(added);
    one->second.notes[shard] = std::move(note);
    if (one->second.sum.total() == nullptr) return std::nullopt;
    return std::pair(node, std::move(open.extract(one).mapped()));
  }
  return std::nullopt;
}

std::vector<std::pair<std::uint32_t, Parts>> PartSums::add(RoundId round, ShardId shard, std::vector<double> parts,
                                                           Bytes note, const Routing& routing) {
  std::vector<std::pair<std::uint32_t, Parts>> out;
  auto whole = add_to(open_, round, shard, std::move(parts), std::move(note));
  if (!whole) return out;
  const std::vector<double>& total = *whole->second.sum.total();
  std::map<std::uint32_t, Writer> rows;
  for (const std::uint32_t home : routing.homes) rows[home];
  for (std::size_t i = 0; i < routing.partition_of.size(); ++i)
    rows[routing.partition_of[i]].append(total.data() + routing.offsets[i],
                                         (routing.offsets[i + 1] - routing.offsets[i]) * sizeof(double));
  const Parts message = with_notes(round, whole->first, whole->second.notes);
  for (auto& [partition, bytes] : rows) {
    out.emplace_back(partition, message);
    out.back().second.sums = Bytes::from(bytes.take());
  }
  return out;
}

std::vector<std::pair<std::uint32_t, Parts>> PartSums::add_open(RoundId round, ShardId shard, SparseRows parts,
                                                                Bytes note,
                                                                const std::map<std::uint32_t, KeyRange>& ranges) {
  std::vector<std::pair<std::uint32_t, Parts>> out;
  auto whole = add_to(open_sparse_, round, shard, std::move(parts), std::move(note));
  if (!whole) return out;
  const SparseRows& total = *whole->second.sum.total();
  Parts message = with_notes(round, whole->first, whole->second.notes);
  message.open = true;
  for (const auto& [partition, range] : ranges) {
    out.emplace_back(partition, message);
    std::tie(out.back().second.runs, out.back().second.sums) = total.in_range(range);
  }
  return out;
}

}  // namespace rota
