// rota/testing/committed_rows.h -- the rows of shared tables that a SerialHost has committed.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "rota/job.h"

namespace rota {

// Rows by table and key.  Those of a dense table lie side by side.
class CommittedRows {
 public:
  CommittedRows() = default;
  explicit CommittedRows(const std::vector<Table>& tables) : tables_(tables.size()) {
    for (TableId t = 0; t < tables.size(); ++t) {
      tables_[t].width = tables[t].row_width;
      if (!tables[t].dense) continue;
      tables_[t].there.resize(tables[t].keys);
      tables_[t].numbers.resize(tables[t].keys * tables[t].row_width);
    }
  }

  // The row, of zeros if there was none.  It stays where it is.
  std::span<double> make(TableId table, Key key) {
    OfTable& its = tables_.at(table);
    if (its.there.empty()) {
      std::vector<double>& row = its.others[key];
      row.resize(its.width);
      return row;
    }
    its.there.at(key) = true;
    return std::span(its.numbers).subspan(key * its.width, its.width);
  }
  // Of a dense table: all rows, which stay there.
  const double* dense_numbers(TableId table) const { return tables_.at(table).numbers.data(); }
  // Empty if there is none.
  std::span<const double> find(TableId table, Key key) const {
    const OfTable& its = tables_.at(table);
    if (its.there.empty()) {
      const auto found = its.others.find(key);
      return found == its.others.end() ? std::span<const double>() : std::span<const double>(found->second);
    }
    if (!its.there.at(key)) return {};
    return std::span(its.numbers).subspan(key * its.width, its.width);
  }
  // Calls f(table, key, row) for all of them, in order.
  template <typename F>
  void for_each(F f) const {
    for (TableId t = 0; t < tables_.size(); ++t) {
      for (const auto& [key, row] : tables_[t].others) f(t, key, std::span<const double>(row));
      for (Key key = 0; key < tables_[t].there.size(); ++key)
        if (tables_[t].there[key]) f(t, key, find(t, key));
    }
  }

  friend bool operator==(const CommittedRows&, const CommittedRows&) = default;

 private:
  struct OfTable {
    std::uint32_t width = 0;
    std::vector<bool> there;  // of a dense table: which rows there are
    std::vector<double> numbers;
    std::map<Key, std::vector<double>> others;  // of one that is not dense

    friend bool operator==(const OfTable&, const OfTable&) = default;
  };
  std::vector<OfTable> tables_;
};

}  // namespace rota
