#include "core/rounds/rows.h"

#include <algorithm>

#include "rota/bytes.h"

namespace rota {

Rows::Rows(std::vector<Table> tables) : tables_(std::move(tables)) {
  for (const Table& table : tables_) rows_.emplace_back(table.row_width);
}

void Rows::set(TableId table, Key key, std::span<const double> values) {
  const std::span<double> row = rows_[table].at(key);
  std::copy_n(values.begin(), row.size(), row.begin());
}

Hash128 Rows::hash() const {
  Hash128 sum;
  for_each([&](TableId table, Key key, std::span<const double> values) {
    Writer row;
    row.put(table);
    row.put(key);
    row.put_all(values);
    sum += hash128(row.view());
  });
  return sum;
}

}  // namespace rota
