// apps/lasso/design/sample_cuts.cc
#include "apps/lasso/design/sample_cuts.h"

#include <algorithm>
#include <utility>

namespace rota::linear {
namespace {

constexpr std::uint64_t kMostStrides = 512;
constexpr std::uint64_t kWindow = 4096;  // bytes at the begin of each stride

struct Places {
  std::size_t begin, end;
};

// Finds cuts[s] for s = first .. last-1.  They are the columns that the sample, sorted, would have at place s n / S;
// these are within `places`; entries before `places` are not larger, and those after it not smaller.
void find_cuts(std::vector<std::uint32_t>& sample, Places places, std::size_t first, std::size_t last,
               std::vector<std::uint64_t>& cuts) {
  if (first >= last) return;
  const std::size_t middle = (first + last) / 2;
  const std::size_t place = sample.size() * middle / cuts.size();
  const auto at = [&](std::size_t i) { return sample.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(places.begin), at(place), at(places.end));
  cuts[middle] = sample[place];
  find_cuts(sample, {places.begin, place}, first, middle, cuts);
  find_cuts(sample, {place, places.end}, middle + 1, last, cuts);
}

}  // namespace

std::uint64_t sample_stride(std::uint64_t text_bytes) {
  std::uint64_t stride = 1;
  while (text_bytes / stride > kMostStrides) stride *= 2;
  return stride;
}

bool ColumnSample::wanted(std::uint64_t begin) const {
  return rows_.empty() || rows_.back().begin / stride_ != begin / stride_ || begin % stride_ < kWindow;
}

void ColumnSample::add(std::uint64_t offset, const io::LibsvmRows& rows) {
  std::size_t at = 0;
  for (std::size_t r = 0; r < rows.begins().size(); ++r) {
    const std::size_t end = rows.ends()[r];
    if (wanted(offset + rows.begins()[r])) {
      columns_.insert(columns_.end(), rows.columns() + at, rows.columns() + end);
      rows_.push_back({offset + rows.begins()[r], columns_.size()});
    }
    at = end;
  }
}

void ColumnSample::coarsen(std::uint64_t stride) {
  stride_ = stride;
  const std::vector<Row> all = std::exchange(rows_, {});
  std::size_t at = 0, used = 0;
  for (const Row& row : all) {
    if (wanted(row.begin)) {
      for (std::size_t i = at; i < row.end; ++i) columns_[used++] = columns_[i];
      rows_.push_back({row.begin, used});
    }
    at = row.end;
  }
  columns_.resize(used);
}

ColumnSample sample_columns(const io::TextFile& file, std::uint64_t stride, std::uint64_t index_from) {
  ColumnSample sample(stride);
  io::LibsvmRows rows(index_from);
  io::LibsvmSize ignored;
  for (std::uint64_t first = 0; first < file.size(); first += stride) {
    const std::uint64_t last = std::min(first + stride, file.size());
    // Continues until there is a row: a window may have none because of long lines or comments.
    bool found = false;
    std::uint64_t begin = file.line_start(first), seen = first;
    for (std::uint64_t width = kWindow; !found && seen < last && begin < last; width *= 2) {
      seen = std::min(first + width, last);
      const std::uint64_t end = std::max(begin, file.line_start(seen));
      io::LineBlocks blocks = file.lines(begin, end);
      for (std::string_view block; blocks.next(block); begin += block.size()) {
        if (rows.parse(block, {}, ignored)) return sample;
        sample.add(begin, rows);
        found = found || !rows.begins().empty();
      }
    }
  }
  return sample;
}

std::vector<std::uint64_t> cut_columns(std::vector<std::uint32_t> sample, std::uint32_t shards) {
  std::vector<std::uint64_t> cuts(shards, 0);
  if (!sample.empty()) find_cuts(sample, {0, sample.size()}, 1, shards, cuts);
  return cuts;
}

}  // namespace rota::linear
