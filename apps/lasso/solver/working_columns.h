// apps/lasso/solver/working_columns.h -- the columns of a working set: sparse ones, and dense ones without row numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "apps/lasso/column_moments.h"
#include "apps/lasso/design/kernels.h"
#include "rota/fields.h"
#include "rota/numerics/large_vector.h"

namespace rota::lasso {

// Columns keep the order in which they were added.  All sums run in a fixed order.  Not for use by several threads.
class WorkingColumns {
 public:
  // With `shifted`, for problems with an intercept, dense columns are stored less about their mean: products of columns
  // far from 0 would lose their variation.
  explicit WorkingColumns(std::size_t rows, bool shifted = false) : rows_(rows), shifted_(shifted) {}
  WorkingColumns(WorkingColumns&&) = default;  // a copy's spans would be the original's
  WorkingColumns& operator=(WorkingColumns&&) = default;

  std::size_t rows() const { return rows_; }
  std::size_t size() const { return columns_.size(); }
  std::uint64_t key(std::size_t j) const { return columns_[j].key; }
  bool contains(std::uint64_t key) const { return position_.contains(key); }
  // Throws std::out_of_range if there is no such column.
  std::size_t position(std::uint64_t key) const { return position_.at(key); }
  double scale(std::size_t j) const { return columns_[j].scale; }
  bool is_dense(std::size_t j) const { return columns_[j].dense; }
  // Whether its products with others are best computed as if it were dense: at least a quarter of the rows are filled.
  bool well_filled(std::size_t j) const { return 4 * columns_[j].values.size() >= rows_; }
  // Of a sparse column its rows, ascending; of a dense one empty.
  std::span<const std::uint32_t> rows_of(std::size_t j) const { return columns_[j].rows; }
  // The number that was subtracted from the column's values.
  double shift(std::size_t j) const { return columns_[j].shift; }
  // Of a dense column one for every row.
  std::span<const double> values_of(std::size_t j) const { return columns_[j].values; }

  // Rows ascend strictly and lie below rows(); throws std::invalid_argument if not, or if the key exists already, or if
  // rows and values differ in number.  A column with at least half of the rows filled is stored dense.
  template <typename Value>
  void add(std::uint64_t key, double scale, std::vector<std::uint32_t> rows, const std::vector<Value>& values);
  // The same of a column whose numbers stay where they are: a sparse one is not copied.
  void add(std::uint64_t key, double scale, const SparseColumn<double>& seen);
  // Keeps the columns j with keep[j], in their order.
  void keep(const std::vector<bool>& keep);

  // sum_i x_ij v_i
  double dot(std::size_t j, std::span<const double> v) const;
  // to_i += by x_ij
  void add_to(std::size_t j, double by, std::span<double> to) const;
  // to_i += by h_i x_ij
  void add_weighted_to(std::size_t j, double by, std::span<const double> h, std::span<double> to) const;
  // With `centred` false the mean counts as 0, and is not computed.
  Moments moments(std::size_t j, std::span<const double> h, double sum_of_h, bool centred) const;

  void fields(auto& list) {
    list(columns_);
    if (list.reads()) {
      bool valid = list.ok();
      for (const Column& column : columns_) valid = valid && is_valid(column);
      changed();
      list.check(valid && position_.size() == columns_.size());
    }
  }

 private:
  struct Column {
    struct Own {
      std::vector<std::uint32_t> rows;
      LargeVector<double> values;
    };

    std::uint64_t key = 0;
    double scale = 0, shift = 0;
    bool dense = false;
    std::span<const std::uint32_t> rows = {};  // its own, or the data's
    std::span<const double> values = {};
    std::unique_ptr<const Own> its_own = {};

    void own(std::vector<std::uint32_t> its_rows, LargeVector<double> its_values) {
      its_own = std::make_unique<const Own>(Own{std::move(its_rows), std::move(its_values)});
      rows = its_own->rows;
      values = its_own->values;
    }
    void fields(auto& list) {
      list(key, scale, shift, dense);
      if (!list.reads()) {
        list.writer()->put_all(rows);
        return list.writer()->put_all(values);
      }
      std::vector<std::uint32_t> its_rows = list.reader()->template get_all<std::uint32_t>();
      const auto read = list.reader()->template get_all<double>();
      own(std::move(its_rows), {read.begin(), read.end()});
    }
  };
  void add(Column column);
  bool is_valid(const Column& column) const;
  void changed();

  std::size_t rows_;
  bool shifted_;
  std::vector<Column> columns_;
  std::unordered_map<std::uint64_t, std::size_t> position_;  // only ever looked up: its order does not matter
};

}  // namespace rota::lasso
