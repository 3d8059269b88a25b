#include "apps/kmeans/rows.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "rota/error.h"
#include "rota/io/numbers.h"
#include "rota/shards.h"

namespace rota::kmeans {
namespace {

void read_file(const std::string& path, const io::RowForm& form, DataSize& size, LargestValue& largest,
               const std::function<void(std::uint64_t, const Row&)>& take) {
  const std::unique_ptr<io::RowReader> file = io::read_rows(path, form);
  std::uint64_t widest = 0, widest_line = 0;
  for (io::LabelledValues row; file->next(row);) {
    if (size.rows == io::kMostRows) file->fail("the data has at most " + std::to_string(io::kMostRows) + " rows");
    double row_largest = 0;
    for (const double value : row.values) row_largest = std::max(row_largest, std::abs(value));
    if (row_largest > kLargest) file->fail("a value above 1e140: its square cannot be summed up");
    if (row_largest > largest.value) largest = {row_largest, path, file->line()};
    if (!row.columns.empty() && row.columns.back() >= widest) {
      widest = row.columns.back() + std::uint64_t{1};
      widest_line = file->line();
    }
    size.entries += row.written;
    take(size.rows++, {row.columns, row.values});
  }
  if (file->columns() > size.columns) {
    size.columns = file->columns();
    size.widest_file = path;
    size.widest_line = widest_line;
  }
  if (size.names.empty()) size.names = file->names();
}

}  // namespace

DataSize each_row(const std::vector<std::string>& files, const io::RowForm& form,
                  const std::function<void(std::uint64_t number, const Row&)>& take, LargestValue* largest) {
  DataSize size;
  LargestValue found;
  io::RowForm as_first = form;
  for (const std::string& path : files) {
    read_file(path, as_first, size, found, take);
    if (as_first.names.empty()) as_first.names = size.names;
  }
  if (largest != nullptr) *largest = found;
  return size;
}

RowShards read_shards(const std::vector<std::string>& files, std::uint32_t shards, std::span<const ShardId> hosted,
                      const io::RowForm& form) {
  RowShards out;
  HostedShards<Rows> keep(shards, hosted);
  LargestValue largest;
  const auto take = [&](std::uint64_t number, const Row& row) {
    if (Rows* const rows = keep.of_item(number)) rows->add(row);
  };
  out.size = each_row(files, form, take, &largest);
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
