// apps/lasso/by_columns/pull.h -- the third step over ranges of columns: gathers the working set and solves it.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "apps/lasso/by_columns/messages.h"
#include "apps/lasso/solver/reduced_problem.h"
#include "apps/lasso/tables.h"
#include "rota/pull.h"

namespace rota::lasso {

class ColumnsPull final : public Pull {
 public:
  ColumnsPull(const Settings& settings, std::uint64_t seed) : settings_(settings), seed_(seed) {}

  void pull(const PullTask& task) override;
  // Adds the objective's loss and penalty, and the number of coefficients that are not zero.
  void evaluate(TableId table, Key key, std::span<const double> value, Terms terms) const override;
  void save(Writer& out) const override;
  void restore(Reader& in) override;

 private:
  void start(const PullTask& task, const Argument& argument);
  void screen(const PullTask& task);
  void solve(const PullTask& task);
  void set_penalty(double lambda);
  FitRow fit_row(const Argument& argument) const;
  void find_classes();
  // y of the loss.
  std::vector<double> targets() const;

  Settings settings_;
  std::uint64_t seed_;
  DataNote data_;                          // rows, columns, response and weights
  ClassLabels classes_;                    // of the response, for the logistic loss
  std::vector<std::uint32_t> folds_;       // of every row
  std::optional<ReducedProblem> problem_;  // of the current fit
  Penalty penalty_;
  double null_loss_ = 0;  // with no coefficient but the intercept
  double gap_ = 0;        // at the last screen
  double gap_at_ = 0;     // the penalty's l1 at that screen
  double steepest_ = 0;   // Certificate::steepest of that screen
};

}  // namespace rota::lasso
