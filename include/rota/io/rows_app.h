// rota/io/rows_app.h -- an app whose items are rows with labels, from files of any format (rota/io/row_reader.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "rota/io/number_text.h"
#include "rota/io/row_files.h"
#include "rota/items_app.h"

namespace rota::io {

struct LabelledRow {
  double label = 0;
  std::vector<std::pair<std::uint32_t, double>> entries;  // column, from 0, and value

  // Of a row of two classes: 1, or -1 for the labels 0 and -1.  Throws std::invalid_argument for others.
  double sign() const {
    if (label != 1 && label != 0 && label != -1)
      throw std::invalid_argument("expected a label of 1, and 0 or -1, found " + exact_text(label));
    return label == 1 ? 1 : -1;
  }
  // The sum of x times w[column].
  double times(std::span<const double> w) const {
    double sum = 0;
    for (const auto& [column, x] : entries) sum += w[column] * x;
    return sum;
  }
  // From a point with a number for each column.
  double squared_distance(std::span<const double> point) const {
    double sum = 0;
    for (const double p : point) sum += p * p;
    for (const auto& [column, x] : entries) sum += x * (x - 2 * point[column]);
    return sum;
  }
  // The numbers of all columns up to the last entry.
  std::vector<double> dense() const {
    std::vector<double> numbers(entries.empty() ? 0 : entries.back().first + std::size_t{1});
    for (const auto& [column, x] : entries) numbers[column] = x;
    return numbers;
  }
};

// The options are those of P and of RowForm.  The facts "rows" and "columns" are their numbers.
template <typename P>
class RowsApp : public ItemsApp<P> {
 public:
  struct Settings : P::Settings {
    RowForm rows;
    void options(auto& list) {
      P::Settings::options(list);
      list.all_of(rows);
    }
  };
  explicit RowsApp(const Job& job) : ItemsApp<P>(job), rows_(settings_of<Settings>(job.options).rows) { rows_.check(); }

  // Called for every row, in their order: may change it, and add to the facts.  What std::invalid_argument says is
  // wrong with the row becomes a DataError with file and line.
  virtual void look_at(LabelledRow& /*row*/, std::uint64_t /*number*/, Facts&) const {}

  void read_items(const std::function<void(LabelledRow)>& add, Facts& facts) final {
    RowFiles files(this->job_.input, rows_);
    for (LabelledValues values; files.next(values);) {
      LabelledRow row{values.label, {}};
      for (std::size_t i = 0; i < values.columns.size(); ++i)
        row.entries.emplace_back(values.columns[i], values.values[i]);
      try {
        look_at(row, files.rows() - 1, facts);
      } catch (const std::invalid_argument& wrong) {
        files.fail(wrong.what());
      }
      add(std::move(row));
    }
    facts.add("rows", static_cast<double>(files.rows()));
    facts.add("columns", static_cast<double>(files.columns()));
  }

 private:
  const RowForm rows_;
};

}  // namespace rota::io
