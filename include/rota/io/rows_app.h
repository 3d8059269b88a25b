// rota/io/rows_app.h -- an app whose items are rows with labels, from files of any format (rota/io/row_reader.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "rota/io/row_files.h"
#include "rota/items_app.h"

namespace rota::io {

struct LabelledRow {
  double label = 0;
  std::vector<std::pair<std::uint32_t, double>> entries;  // column, from 0, and value

  // The sum of x times w[column].
  double times(std::span<const double> w) const {
    double sum = 0;
    for (const auto& [column, x] : entries) sum += w[column] * x;
    return sum;
  }
};

// The settings of P have a member `rows` of the type RowForm.  The facts "rows" and "columns" are their numbers.
template <typename P>
class RowsApp : public ItemsApp<P> {
 public:
  explicit RowsApp(const Job& job) : ItemsApp<P>(job) { this->settings_.rows.check(); }

  // Called for every row, in their order: may change it, and add to the facts.
  virtual void look_at(LabelledRow& /*row*/, std::uint64_t /*number*/, Facts&) const {}

  void read_items(const std::function<void(LabelledRow)>& add, Facts& facts) final {
    RowFiles files(this->job_.input, this->settings_.rows);
    for (LabelledValues values; files.next(values);) {
      LabelledRow row{values.label, {}};
      for (std::size_t i = 0; i < values.columns.size(); ++i)
        row.entries.emplace_back(values.columns[i], values.values[i]);
      look_at(row, files.rows() - 1, facts);
      add(std::move(row));
    }
    facts.add("rows", static_cast<double>(files.rows()));
    facts.add("columns", static_cast<double>(files.columns()));
  }
};

}  // namespace rota::io
