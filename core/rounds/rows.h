// core/rounds/rows.h -- the memory engine: the shared rows that live in one partition.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/base/hash.h"
#include "rota/job.h"

namespace rota {

class Rows {
 public:
  explicit Rows(std::vector<Table> tables) : tables_(std::move(tables)), rows_(tables_.size()) {}

  const std::vector<Table>& tables() const { return tables_; }
  bool has_table(TableId table) const { return table < tables_.size() && tables_[table].kind == Table::Kind::shared; }
  // A row to read and write; zeros when it is new.  REQUIRES has_table and key < the table's keys.
  std::vector<double>& row(TableId table, Key key) {
    std::vector<double>& row = rows_[table][key];
    row.resize(tables_[table].row_width);
    return row;
  }
  // Calls f(table, key, values) for every row, in order of table and key.
  template <typename F>
  void for_each(F f) const {
    for (TableId table = 0; table < rows_.size(); ++table)
      for (const auto& [key, values] : rows_[table]) f(table, key, std::span<const double>(values));
  }
  // Calls f(key, values) for the rows of a table behind a key (none: from the first), in order, until it says false.
  template <typename F>
  void for_each_behind(TableId table, std::optional<Key> behind, F f) const {
    auto at = behind ? rows_[table].upper_bound(*behind) : rows_[table].begin();
    while (at != rows_[table].end() && f(at->first, std::span<const double>(at->second))) ++at;
  }
  // Of the set of rows: the same however they are spread over partitions.
  Hash128 hash() const;

 private:
  std::vector<Table> tables_;
  std::vector<std::map<Key, std::vector<double>>> rows_;
};

}  // namespace rota
