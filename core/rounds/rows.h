// core/rounds/rows.h -- the memory engine: the shared rows that live in one partition.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "core/base/hash.h"
#include "core/rounds/row_store.h"
#include "rota/job.h"

namespace rota {

class Rows {
 public:
  explicit Rows(std::vector<Table> tables);

  const std::vector<Table>& tables() const { return tables_; }
  bool has_table(TableId table) const { return table < tables_.size() && tables_[table].kind == Table::Kind::shared; }
  // A row to read and write; zeros when it is new.  Valid until the next row is added.  REQUIRES has_table and key <
  // the table's keys.
  std::span<double> row(TableId table, Key key) { return rows_[table].at(key); }
  // `values` has the table's width.
  void set(TableId table, Key key, std::span<const double> values);
  // Calls f(table, key, values) for every row, in order of table and key.
  template <typename F>
  void for_each(F f) const {
    for (TableId table = 0; table < rows_.size(); ++table)
      rows_[table].for_each_behind(std::nullopt, [&](Key key, std::span<const double> values) {
        f(table, key, values);
        return true;
      });
  }
  // Calls f(key, values) for the rows of a table behind a key (none: from the first), in order, until it says false.
  template <typename F>
  void for_each_behind(TableId table, std::optional<Key> behind, F f) const {
    rows_[table].for_each_behind(behind, f);
  }
  // Of the set of rows: the same however they are spread over partitions.
  Hash128 hash() const;

 private:
  std::vector<Table> tables_;
  std::vector<RowStore> rows_;  // by table
};

}  // namespace rota
