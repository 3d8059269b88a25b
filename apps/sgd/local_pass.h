// apps/sgd/local_pass.h -- the steps of one shard in one round: row after row, on its own copy of the weights of the
// table.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/linear_models/losses.h"
#include "apps/linear_models/shard_rows.h"
#include "apps/sgd/settings.h"
#include "rota/types.h"

namespace rota::sgd {

// A row of the table, and of the shard's copy: the state (steps.h) of output 0, of output 1, ...  There is one output,
// or one for each class (Settings::outputs).
class LocalPass {
 public:
  // `first_squares`, by key, must outlive it: AdaGrad's squares for weights of another optimiser.
  LocalPass(const Settings& settings, std::shared_ptr<const std::vector<FeatureScale>> scales, std::uint32_t outputs,
            std::span<const double> first_squares = {});

  // Visits the rows of `order` in turn; `seen` is the number that a shard has seen before.  Returns the sum of their
  // losses, each before its own step, times the rows' weights.
  double run(const ShardRows& data, std::span<const std::uint32_t> order, double seen, std::span<const double> table);
  // The same with steps of this rate, from a snapshot with these slopes of the rows, row after row.
  void run_from(std::span<const double> slopes, double rate, const ShardRows& data,
                std::span<const std::uint32_t> order, std::span<const double> table);

  // Of the last run: the features that were in a row, each once, and their new rows of the table.
  const std::vector<std::uint32_t>& touched() const { return touched_; }
  std::span<const double> state(std::uint32_t key) const { return {state_.data() + key * width_, width_}; }
  const FeatureScale& scale(std::uint32_t key) const { return (*scales_)[key]; }

 private:
  template <typename Step>
  double visit_averaging(const ShardRows& data, std::span<const std::uint32_t> order, double seen, const double* table);
  template <typename Step>
  double visit_by(const ShardRows& data, std::span<const std::uint32_t> order, double seen, const double* table);
  // For one output, and for one per class.
  template <typename Step, typename LossOfRow>
  double visit(linear::OneOutput<LossOfRow>, const ShardRows& data, std::span<const std::uint32_t> order, double seen,
               const double* table);
  template <typename Step, typename Outputs>
  double visit(Outputs, const ShardRows& data, std::span<const std::uint32_t> order, double seen, const double* table);
  // The state of a feature, which is copied from the table if this is the first row with it.
  double* own(std::uint32_t key, const double* table) {
    double* const state = state_.data() + key * width_;
    if (run_of_[key] != run_) [[unlikely]]
      begin(key, state, table);
    return state;
  }
  void begin(std::uint32_t key, double* state, const double* table);

  Settings settings_;
  std::shared_ptr<const std::vector<FeatureScale>> scales_;
  std::uint32_t outputs_;
  std::span<const double> first_squares_;
  std::size_t width_;  // of a row of the table
  std::vector<double> state_;
  std::vector<std::uint32_t> run_of_;  // the last run that had the feature
  std::uint32_t run_ = 0;
  std::vector<std::uint32_t> touched_;
  std::vector<double> links_;                   // of the rows of a run
  std::span<const double> slopes_at_snapshot_;  // of these rows; empty except in run_from()
};

}  // namespace rota::sgd
