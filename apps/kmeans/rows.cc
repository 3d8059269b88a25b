#include "apps/kmeans/rows.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "rota/error.h"
#include "rota/io/libsvm.h"
#include "rota/io/numbers.h"
#include "rota/io/text_file.h"
#include "rota/shards.h"

namespace rota::kmeans {
namespace {

// `lines` are before the block.
void check_values(const io::LibsvmRows& rows, std::string_view block, const std::string& path, std::uint64_t lines,
                  LargestValue& largest) {
  const auto line_of = [&](std::size_t r) {
    const std::string_view before = block.substr(0, rows.begins()[r]);
    return lines + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  };
  std::size_t at = 0;
  std::optional<std::size_t> row_of_largest;
  for (std::size_t r = 0; r < rows.ends().size(); ++r)
    for (; at < rows.ends()[r]; ++at) {
      const double size = std::abs(rows.values()[at]);
      if (size <= largest.value) continue;
      if (!(size <= kLargest)) throw DataError(path, line_of(r), "a value above 1e140: its square cannot be summed up");
      largest.value = size;
      row_of_largest = r;
    }
  if (!row_of_largest) return;
  largest.file = path;
  largest.line = line_of(*row_of_largest);
}

void read_file(const std::string& path, io::LibsvmRows& rows, DataSize& size, LargestValue& largest,
               const std::function<void(std::uint64_t, const Row&)>& take) {
  const io::TextFile file(path);
  io::LineBlocks blocks = file.all_lines();
  io::LibsvmSize seen;
  for (std::string_view block; blocks.next(block);) {
    const std::uint64_t lines = seen.lines;  // before the block
    if (const auto wrong = rows.parse(block, {}, seen))
      throw DataError(path, lines + wrong->lines_before + 1, wrong->what);
    if (size.rows + rows.ends().size() > io::kMostRows)
      throw DataError(path, seen.lines, "the data has at most " + std::to_string(io::kMostRows) + " rows");
    check_values(rows, block, path, lines, largest);
    std::size_t at = 0;
    for (const std::size_t end : rows.ends()) {
      take(size.rows++, {{rows.columns() + at, end - at}, {rows.values() + at, end - at}});
      at = end;
    }
  }
  size.entries += seen.entries;
  if (seen.columns <= size.columns) return;
  size.columns = seen.columns;
  size.widest_file = path;
  size.widest_line = seen.widest;
}

}  // namespace

DataSize each_row(const std::vector<std::string>& files, std::uint64_t index_from,
                  const std::function<void(std::uint64_t number, const Row&)>& take, LargestValue* largest) {
  DataSize size;
  LargestValue found;
  io::LibsvmRows rows(index_from);
  for (const std::string& path : files) {
    try {
      read_file(path, rows, size, found, take);
    } catch (const io::BrokenBytes& broken) {
      throw DataError(path, 0, broken.what());
    }
  }
  if (largest != nullptr) *largest = found;
  return size;
}

RowShards read_shards(const std::vector<std::string>& files, std::uint32_t shards, std::span<const ShardId> hosted,
                      std::uint64_t index_from) {
  RowShards out;
  HostedShards<Rows> keep(shards, hosted);
  LargestValue largest;
  const auto take = [&](std::uint64_t number, const Row& row) {
    if (Rows* const rows = keep.of_item(number)) rows->add(row);
  };
  out.size = each_row(files, index_from, take, &largest);
  out.hosted = std::move(keep.all());
  if (out.size.rows == 0) throw DataError(files.front(), 0, "the data has no rows");
  if (out.size.columns == 0) throw DataError(files.front(), 0, "the data has no columns");
  if (const std::string wrong = io::out_of_proportion(out.size.columns, "columns", out.size.entries); !wrong.empty())
    throw DataError(out.size.widest_file, out.size.widest_line, wrong);
  if (largest.value > 0 && largest.value < kLeastLargest)
    throw DataError(largest.file, largest.line, "the largest value is below 1e-140: the squares cannot be summed up");
  require_dealt(out.size.rows, shards);
  for (Rows& rows : out.hosted) rows.shrink_to_fit();
  return out;
}

}  // namespace rota::kmeans
