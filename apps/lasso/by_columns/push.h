// apps/lasso/by_columns/push.h -- the second step over ranges of columns: screens them, and sends those requested.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/lasso/by_columns/messages.h"
#include "apps/lasso/penalty.h"
#include "apps/lasso/settings.h"
#include "apps/lasso/tables.h"
#include "apps/linear/design/columns.h"
#include "rota/push.h"

namespace rota::lasso {

using namespace linear;

// Data of the rows, which all shards of a process share.
struct SharedRowData {
  std::vector<double> response;      // as in the data
  std::vector<double> weights;       // as the user gave them, or ones
  std::vector<std::uint32_t> folds;  // of every row
  std::uint64_t columns = 0;         // of the whole data
};

class ColumnsPush final : public SharedPush {
 public:
  ColumnsPush(const Settings& settings, Columns columns, std::shared_ptr<const SharedRowData> rows);

  // Entries of the shard's columns: the cost of a screen.
  std::uint64_t items() const override { return columns_.entries(); }
  void attach(const Shape& shape) override { speaks_for_all_ = shape.speaks_for_all; }
  std::uint64_t push(const SharedTask& task, Random&) override;
  void refresh(const Commit& commit) override;
  void save(Writer& out) const override;
  void restore(Reader& in) override;
  bool restores_in_place() const override { return true; }

 private:
  void begin(std::uint32_t fold);
  void compute_norms();
  Screening screen(const Penalty& penalty, std::size_t wanted) const;
  void hand_out(const SharedTask& task) const;
  bool holds(Key column) const {
    return column >= columns_.first_column() && column - columns_.first_column() < columns_.columns();
  }

  Settings settings_;
  bool speaks_for_all_ = false;
  Columns columns_;
  std::shared_ptr<const SharedRowData> rows_;

  // Of the current fit.
  std::uint32_t fold_ = 0;
  std::vector<double> norm_;   // of every column under the fit's weights, about its mean if there is an intercept
  std::vector<double> scale_;  // s_j; empty: all 1
  std::vector<double> coefficients_;  // as last committed
  Bytes gradient_;                    // by row, as last committed
};

}  // namespace rota::lasso
