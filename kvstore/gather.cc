#include "kvstore/gather.h"

#include <cstring>

namespace rota {

namespace {

Status wrong(RoundId round, const char* what) {
  return {ExitCode::bug, "round " + std::to_string(round) + ": " + what};
}

}  // namespace

Status Gather::expect(const SharedRows& rows, std::size_t part_width) {
  if (rows.round <= taken_) return wrong(rows.round, "expected after it was done");
  Open& one = open(rows.round);
  if (one.rows) return wrong(rows.round, "expected twice");
  const std::size_t bytes = rows.keys.size() * part_width * sizeof(double);
  if (one.bytes && one.bytes != bytes) return wrong(rows.round, "parts of another size");
  one.bytes = bytes;
  one.rows = rows;
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
  return {};
}

std::optional<Gather::Whole> Gather::take() {
  // A round that only has early parts is not the first: those before it may still be on their way.
  for (auto first = open_.begin(); first != open_.end(); ++first) {
    if (!first->second.rows) continue;
    const std::vector<double>* sum = first->second.sum.total();
    if (sum == nullptr) return std::nullopt;
    Whole whole{*std::move(first->second.rows), *sum};
    taken_ = first->first;
    open_.erase(first);
    return whole;
  }
  return std::nullopt;
}

}  // namespace rota
