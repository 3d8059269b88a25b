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
  // Of the partition with this number.
  explicit Rows(std::vector<Table> tables, std::uint32_t partition = 0, std::uint32_t partitions = 1);

  const std::vector<Table>& tables() const { return tables_; }
  bool has_table(TableId table) const { return table < tables_.size() && tables_[table].kind == Table::Kind::shared; }
  // Whether a row may live here: one of a shared table that has it, and if that is dense, of the partition's range.
  bool may_have(TableId table, Key key) const {
    return has_table(table) && key >= ranges_[table].first && key < ranges_[table].end;
  }
  // The keys of a table that may live here.  REQUIRES has_table.
  const KeyRange& range(TableId table) const { return ranges_[table]; }
  // A row to read and write; zeros when it is new.  Valid until the next row is added.  REQUIRES may_have.
  std::span<double> row(TableId table, Key key) { return rows_[table].at(key); }
  // A run of rows of a dense table, one after the other.  REQUIRES that each may be here.
  std::span<double> run(TableId table, const KeyRun& run) { return rows_[table].at_run(run); }
  // `values` has the table's width.  REQUIRES may_have.
  void set(TableId table, Key key, std::span<const double> values);
  // Calls f(table, key, values) for every row, in order of table and key.
  template <typename F>
  void for_each(F f) const {
    for (TableId table = 0; table < rows_.size(); ++table)
      rows_[table].for_each_after(std::nullopt, [&](Key key, std::span<const double> values) {
        f(table, key, values);
        return true;
      });
  }
  // Calls f(key, values) for the rows of a table after a key (none: from the first), in order, until it says false.
  template <typename F>
  void for_each_after(TableId table, std::optional<Key> after, F f) const {
    rows_[table].for_each_after(after, f);
  }
  // Of the set of rows: the same however they are spread over partitions.
  Hash128 hash() const;

 private:
  std::vector<Table> tables_;
  std::vector<KeyRange> ranges_;  // by table
  std::vector<RowStore> rows_;    // by table
};

}  // namespace rota
