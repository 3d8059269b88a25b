#include "core/rounds/gather.h"

#include <algorithm>
#include <cstring>

namespace rota {

namespace {

Status wrong(RoundId round, const char* what) {
  return {ExitCode::bug, "round " + std::to_string(round) + ": " + what};
}

}  // namespace

Status Gather::expect(const Expect& expect, std::size_t numbers) {
  const RoundId round = expect.rows.round;
  if (round <= taken_) return wrong(round, "expected after it was done");
  Open& one = open(round);
  if (one.expect) return wrong(round, "expected twice");
  const std::size_t bytes = numbers * sizeof(double);
  if (one.bytes && one.bytes != bytes) return wrong(round, "parts of another size");
  one.bytes = bytes;
  one.expect = expect;
  return {};
}

Status Gather::add(const Parts& parts) {
  if (parts.round <= taken_) return wrong(parts.round, "parts after it was done");
  if (!open_.contains(parts.round) && open_.size() >= kEarlyRoundsMost) return wrong(parts.round, "too far ahead");
  Open& one = open(parts.round);
  if (!one.bytes) one.bytes = parts.sums.size();
  std::vector<double> sums(parts.sums.size() / sizeof(double));
  if (one.bytes != parts.sums.size() || sums.size() * sizeof(double) != parts.sums.size())
    return wrong(parts.round, "parts of another size");
  if (!sums.empty()) std::memcpy(sums.data(), parts.sums.view().data(), parts.sums.size());
  if (!one.sum.add(parts.node, std::move(sums))) return wrong(parts.round, "parts that overlap");
  const std::uint64_t first = static_cast<std::uint64_t>(parts.node.index) << parts.node.level;
  const std::uint64_t end = std::min<std::uint64_t>(first + (std::uint64_t{1} << parts.node.level), one.notes.size());
  if (parts.note_sizes.size() != end - first) return wrong(parts.round, "notes of other shards");
  std::size_t at = 0;
  for (std::size_t i = 0; i < parts.note_sizes.size(); ++i) {
    if (parts.note_sizes[i] > parts.notes.size() - at) return wrong(parts.round, "notes that end early");
    one.notes[first + i] = parts.notes.part(at, parts.note_sizes[i]);
    at += parts.note_sizes[i];
  }
  if (at != parts.notes.size()) return wrong(parts.round, "notes that go on");
  return {};
}

std::optional<Gather::Whole> Gather::take() {
  // A round that only has early parts is not the first: those before it may still be on their way.
  for (auto first = open_.begin(); first != open_.end(); ++first) {
    if (!first->second.expect) continue;
    const std::vector<double>* sum = first->second.sum.total();
    if (sum == nullptr) return std::nullopt;
    Whole whole{*std::move(first->second.expect), *sum, std::move(first->second.notes)};
    taken_ = first->first;
    open_.erase(first);
    return whole;
  }
  return std::nullopt;
}

}  // namespace rota
