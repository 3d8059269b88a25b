#include "core/rounds/gather.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>

#include "core/base/check.h"
#include "core/rounds/placement.h"

namespace rota {

namespace {

// Notes go one way: to one partition.
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
                                                                         ShardId shard, Sum parts, Bytes note,
                                                                         Combine how) {
  for (const TreeNode node : nodes_) {
    if ((shard >> node.level) != node.index) continue;
    const auto one = open.try_emplace({round, node}, Open<Sum>{TreeSumOf<Sum>(shards_, node), {}, {}}).first;
    if constexpr (std::is_same_v<Sum, SparseRows>) one->second.leaves.emplace(shard, parts);
    const bool added = one->second.sum.add({0, shard}, std::move(parts), how);
    ROTA_CHECK(added);
    one->second.notes[shard] = std::move(note);
    if (one->second.sum.total() == nullptr) return std::nullopt;
    return std::pair(node, std::move(open.extract(one).mapped()));
  }
  return std::nullopt;
}

std::vector<std::pair<std::uint32_t, Parts>> PartSums::add(RoundId round, ShardId shard, std::vector<double> parts,
                                                           Bytes note, const Routing& routing, Combine how) {
  std::vector<std::pair<std::uint32_t, Parts>> out;
  auto whole = add_to(open_, round, shard, std::move(parts), std::move(note), how);
  if (!whole) return out;
  const std::vector<double>& total = *whole->second.sum.total();
  std::map<std::uint32_t, Writer> rows;
  for (const std::uint32_t home : routing.homes) rows[home];
  for (std::size_t i = 0; i < routing.partition_of.size(); ++i)
    rows[routing.partition_of[i]].append(total.data() + routing.offsets[i],
                                         (routing.offsets[i + 1] - routing.offsets[i]) * sizeof(double));
  Parts message = with_notes(round, whole->first, whole->second.notes);
  message.combine = how;
  for (auto& [partition, bytes] : rows) {
    out.emplace_back(partition, message);
    out.back().second.sums = Bytes::from(bytes.take());
  }
  return out;
}

std::vector<std::pair<std::uint32_t, Parts>> PartSums::add_open(RoundId round, ShardId shard, SparseRows parts,
                                                                Bytes note,
                                                                const std::map<std::uint32_t, KeyRange>& ranges,
                                                                Combine how) {
  // Numbers of one message that are copied sooner than several messages are handled.
  constexpr std::size_t kCopied = std::size_t{64} << 10;
  std::vector<std::pair<std::uint32_t, Parts>> out;
  auto whole = add_to(open_sparse_, round, shard, std::move(parts), std::move(note), how);
  if (!whole) return out;
  auto& [node, summed] = *whole;
  const SparseRows& total = *summed.sum.total();
  std::size_t pieces = 0;
  for (const auto& [leaf, rows] : summed.leaves) pieces += rows.pieces().size();
  const bool apart = total.pieces().size() > 1 && total.pieces().size() == pieces;
  const auto send = [&](std::uint32_t partition, TreeNode of, const std::map<ShardId, Bytes>& notes,
                        std::pair<std::vector<KeyRun>, Bytes> rows) {
    Parts message = with_notes(round, of, notes);
    if (partition != kSinglePartition) {
      message.note_sizes.assign(notes.size(), 0);
      message.notes = {};
    }
    message.open = true;
    message.combine = how;
    std::tie(message.runs, message.sums) = std::move(rows);
    out.emplace_back(partition, std::move(message));
  };
  for (const auto& [partition, range] : ranges) {
    if (apart && total.numbers_in(range) * sizeof(double) > kCopied)
      for (const auto& [leaf, rows] : summed.leaves)
        send(partition, {0, leaf}, {{leaf, summed.notes[leaf]}}, rows.in_range(range));
    else
      send(partition, node, summed.notes, total.in_range(range));
  }
  return out;
}

namespace {

Status wrong(RoundId round, const char* what) {
  return {ExitCode::bug, "round " + std::to_string(round) + ": " + what};
}

}  // namespace

Status Gather::expect(const Expect& expect, std::size_t numbers, const KeyRange& range, Combine how) {
  const RoundId round = expect.rows.round;
  if (round <= taken_) return wrong(round, "expected after it was done");
  Open& one = open(round);
  if (one.expect) return wrong(round, "expected twice");
  if (one.is_open && *one.is_open != expect.rows.open) return wrong(round, "parts of another kind of round");
  if (one.how.value_or(how) != how) return wrong(round, "parts that are combined in another way");
  const std::size_t bytes = numbers * sizeof(double);
  if (one.bytes && one.bytes != bytes) return wrong(round, "parts of another size");
  if (one.range.first < one.range.end && (one.range.first < range.first || one.range.end > range.end))
    return wrong(round, "parts of other rows");
  one.how = how;
  one.bytes = bytes;
  one.is_open = expect.rows.open;
  one.range = range;
  one.expect = expect;
  return {};
}

Status Gather::add(const Parts& parts) {
  if (parts.round <= taken_) return wrong(parts.round, "parts after it was done");
  if (!open_.contains(parts.round) && open_.size() >= kEarlyRoundsMost) return wrong(parts.round, "too far ahead");
  Open& one = open(parts.round);
  if (one.is_open.value_or(parts.open) != parts.open) return wrong(parts.round, "parts of another kind of round");
  if (one.how.value_or(parts.combine) != parts.combine)
    return wrong(parts.round, "parts that are combined in another way");
  one.is_open = parts.open;
  one.how = parts.combine;
  if (parts.open) {
    ROTA_TRY(add_open(one, parts));
    return add_notes(one, parts);
  }
  if (!parts.runs.empty()) return wrong(parts.round, "parts of other rows");
  if (!one.bytes) one.bytes = parts.sums.size();
  std::vector<double> sums(parts.sums.size() / sizeof(double));
  if (one.bytes != parts.sums.size() || sums.size() * sizeof(double) != parts.sums.size())
    return wrong(parts.round, "parts of another size");
  if (!sums.empty()) std::memcpy(sums.data(), parts.sums.view().data(), parts.sums.size());
  if (!one.sum.add(parts.node, std::move(sums), parts.combine)) return wrong(parts.round, "parts that overlap");
  return add_notes(one, parts);
}

// The rows and the size of a row's part are compared with what is expected, or will be.
Status Gather::add_open(Open& one, const Parts& parts) {
  const KeyRange range = one.expect ? one.range : KeyRange{0, std::numeric_limits<Key>::max()};
  if (!runs_fit(parts.runs, range)) return wrong(parts.round, "parts of other rows");
  const std::uint64_t rows = keys_in(parts.runs);
  if (rows == 0 && !parts.sums.empty()) return wrong(parts.round, "parts of another size");
  if (rows > 0) {
    const std::size_t bytes = parts.sums.size() / rows;
    if (bytes * rows != parts.sums.size() || bytes % sizeof(double) != 0 || one.bytes.value_or(bytes) != bytes)
      return wrong(parts.round, "parts of another size");
    one.bytes = bytes;
    const KeyRange of{parts.runs.front().first, parts.runs.back().first + parts.runs.back().count};
    const bool first = one.range.first == one.range.end;
    if (!one.expect)
      one.range = first ? of : KeyRange{std::min(one.range.first, of.first), std::max(one.range.end, of.end)};
  }
  // Without rows nothing depends on the width, which need not be known yet.
  const auto width = static_cast<std::uint32_t>(rows == 0 ? 0 : parts.sums.size() / sizeof(double) / rows);
  if (!one.sparse.add(parts.node, SparseRows(parts.runs, parts.sums, width), parts.combine))
    return wrong(parts.round, "parts that overlap");
  return {};
}

Status Gather::add_notes(Open& one, const Parts& parts) {
  const std::uint64_t first = static_cast<std::uint64_t>(parts.node.index) << parts.node.level;
  const std::uint64_t end = std::min<std::uint64_t>(first + (std::uint64_t{1} << parts.node.level), one.notes.size());
  if (parts.note_sizes.size() != end - first) return wrong(parts.round, "notes of other shards");
  std::size_t at = 0;
  for (std::size_t i = 0; i < parts.note_sizes.size(); ++i) {
    if (parts.note_sizes[i] > parts.notes.size() - at) return wrong(parts.round, "notes that end early");
    one.notes[first + i] = parts.notes.part(at, parts.note_sizes[i]);
    at += parts.note_sizes[i];
  }
  if (at != parts.notes.size()) return wrong(parts.round, "notes beyond the last shard");
  return {};
}

std::optional<Gather::Whole> Gather::take() {
  // A round that only has early parts is not the first: those before it may still be on their way.
  for (auto first = open_.begin(); first != open_.end(); ++first) {
    if (!first->second.expect) continue;
    Open& one = first->second;
    std::vector<double>* sum = one.sum.total();
    SparseRows* sparse = one.sparse.total();
    if (sum == nullptr && sparse == nullptr) return std::nullopt;
    Whole whole{*std::move(one.expect), {}, {}, std::move(one.notes)};
    if (sparse != nullptr)
      whole.open = std::move(*sparse);
    else
      whole.sum = std::move(*sum);
    taken_ = first->first;
    open_.erase(first);
    return whole;
  }
  return std::nullopt;
}

}  // namespace rota
