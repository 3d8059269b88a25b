#include "core/rounds/rows.h"

#include <algorithm>

#include "core/rounds/model_hash.h"
#include "core/rounds/placement.h"

namespace rota {

Rows::Rows(std::vector<Table> tables, std::uint32_t partition, std::uint32_t partitions) : tables_(std::move(tables)) {
  for (const Table& table : tables_) {
    ranges_.push_back(table.dense ? range_of(table, partition, partitions) : KeyRange{0, table.keys});
    rows_.push_back(table.dense ? RowStore(table.row_width, ranges_.back()) : RowStore(table.row_width));
  }
}

void Rows::set(TableId table, Key key, std::span<const double> values) {
  const std::span<double> row = rows_[table].at(key);
  std::copy_n(values.begin(), row.size(), row.begin());
}

Hash128 Rows::hash() const {
  Hash128 sum;
  for_each([&](TableId table, Key key, std::span<const double> values) { sum += row_hash(table, key, values); });
  return sum;
}

}  // namespace rota
