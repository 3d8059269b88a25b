// apps/linear/design/entries.cc
#include "apps/linear/design/entries.h"

#include <algorithm>
#include <utility>

namespace rota::linear {
namespace {

constexpr std::size_t kLeastMemory = std::size_t{1} << 16;  // bytes that a group allocates at once

}  // namespace

DesignEntry* EntryBlocks::take(std::size_t group_number) {
  Group& group = groups_[group_number];
  const std::lock_guard<std::mutex> lock(group.mutex);
  if (group.left == 0) {
    // Doubles, so that little data does not use large pages that it cannot fill.
    group.bytes = std::clamp(2 * group.bytes, kLeastMemory, kLargePage);
    group.memory.emplace_back(group.bytes);
    group.left = group.bytes;
  }
  group.left -= kBlockBytes;
  return reinterpret_cast<DesignEntry*>(group.memory.back().data() + group.left);
}

void EntryBlocks::release(std::size_t group_number) {
  if (mixed_) return;
  Group& group = groups_[group_number];
  const std::lock_guard<std::mutex> lock(group.mutex);
  group.memory.clear();
  group.left = 0;
}

[[gnu::always_inline]] inline void DesignEntries::put(std::uint32_t row, std::uint32_t column, double value) {
  const std::uint64_t place = (column - first_column_) >> shift_;
  Bucket& bucket = buckets_[place];
  if (reinterpret_cast<std::uintptr_t>(bucket.next) % EntryBlocks::kBlockBytes == 0) [[unlikely]]
    open_block(place);
  *bucket.next++ = {value, row, column};
  if (!bucket.needs_double) bucket.needs_double = static_cast<double>(static_cast<float>(value)) != value;
}

void DesignEntries::add(std::uint32_t row, std::uint32_t column, double value) {
  expect(std::uint64_t{column} + 1);
  put(row, column, value);
}

void DesignEntries::add_rows(const io::LibsvmRows& rows, std::uint64_t first_row, std::uint64_t keep_first,
                             std::uint64_t keep_end) {
  const std::uint32_t* const columns = rows.columns();
  const double* const values = rows.values();
  std::uint64_t end_column = 0;
  std::size_t begin = 0;
  for (const std::size_t end : rows.ends()) {
    if (end > begin) end_column = std::max(end_column, std::uint64_t{columns[end - 1]} + 1);
    begin = end;
  }
  expect(end_column);
  begin = 0;
  for (std::size_t r = 0; r < rows.ends().size(); ++r) {
    const std::size_t end = rows.ends()[r];
    const std::uint64_t row = first_row + r;
    if (row - keep_first < keep_end - keep_first)
      for (std::size_t i = begin; i < end; ++i) put(static_cast<std::uint32_t>(row), columns[i], values[i]);
    begin = end;
  }
}

void DesignEntries::open_block(std::size_t bucket) {
  close_block(buckets_[bucket]);
  buckets_[bucket].begin = buckets_[bucket].next = blocks_->take(group_of(bucket));
}

void DesignEntries::close_block(Bucket& bucket) {
  if (bucket.next != bucket.begin) bucket.done.emplace_back(bucket.begin, bucket.next);
  bucket.begin = bucket.next = nullptr;
}

void DesignEntries::expect(std::uint64_t end_column) {
  if (end_column <= first_column_) return;
  std::uint32_t shift = shift_;
  while ((end_column - 1 - first_column_) >> shift >= kBuckets) ++shift;
  widen(shift);
}

void DesignEntries::widen(std::uint32_t shift) {
  for (; shift_ < shift; ++shift_) {
    for (std::size_t i = 0; i < kBuckets; ++i) {
      Bucket from = std::exchange(buckets_[i], {});
      close_block(from);
      if (group_of(i) != group_of(i / 2) && !from.done.empty()) blocks_->mix();
      Bucket& to = buckets_[i / 2];
      to.done.insert(to.done.end(), from.done.begin(), from.done.end());
      to.needs_double |= from.needs_double;
    }
  }
}

}  // namespace rota::linear
