// apps/linear/design/entries.cc -- entries of the design matrix as they are read.

#include <sys/mman.h>
#include <unistd.h>

#include "apps/linear/design/build.h"

namespace rota::linear {

void DesignEntries::add_rows(const io::LibsvmRows& rows, std::uint64_t first_row, std::uint64_t keep_first,
                             std::uint64_t keep_end) {
  std::size_t at = 0;
  for (std::size_t r = 0; r < rows.ends().size(); ++r) {
    const std::size_t end = rows.ends()[r];
    const std::uint64_t row = first_row + r;
    if (row - keep_first < keep_end - keep_first)
      for (std::size_t i = at; i < end; ++i) add(static_cast<std::uint32_t>(row), rows.columns()[i], rows.values()[i]);
    at = end;
  }
}

// A stable counting sort.
void DesignEntries::close_chunk() {
  Chunk& chunk = chunks_.emplace_back();
  std::uint64_t most = 0;
  for (const DesignEntry& entry : open_) most = std::max(most, entry.column - first_column_);
  while (most >> chunk.shift >= kBuckets) ++chunk.shift;
  const auto bucket_of = [&](const DesignEntry& entry) { return (entry.column - first_column_) >> chunk.shift; };
  for (const DesignEntry& entry : open_) ++chunk.begin[bucket_of(entry) + 1];
  for (std::size_t b = 0; b < kBuckets; ++b) chunk.begin[b + 1] += chunk.begin[b];
  auto next = chunk.begin;
  chunk.entries.resize(open_.size());
  for (const DesignEntry& entry : open_) {
    const std::size_t b = bucket_of(entry);
    chunk.entries[next[b]++] = entry;
    if (static_cast<double>(static_cast<float>(entry.value)) != entry.value) chunk.needs_double[b] = true;
  }
  open_.clear();
  shift_ = std::max(shift_, chunk.shift);
}

void DesignEntries::finish() {
  if (!open_.empty()) close_chunk();
  open_ = std::vector<DesignEntry>();
}

bool DesignEntries::is_single(std::size_t bucket) const {
  for (const Chunk& chunk : chunks_) {
    const auto [begin, end] = chunk.buckets_of(bucket, bucket + 1, shift_);
    for (std::size_t b = begin; b < end; ++b)
      if (chunk.needs_double[b]) return false;
  }
  return true;
}

void DesignEntries::release(std::size_t first, std::size_t end) const {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (const Chunk& chunk : chunks_) {
    const auto buckets = chunk.buckets_of(first, end, shift_);
    const auto entries = chunk.entries_of(buckets.begin, buckets.end);
    // Whole pages only: the others have entries of other buckets.
    const auto from = (reinterpret_cast<std::uintptr_t>(entries.data()) + page - 1) / page * page;
    const auto to = reinterpret_cast<std::uintptr_t>(entries.data() + entries.size()) / page * page;
    if (from < to) (void)::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
  }
}

}  // namespace rota::linear
