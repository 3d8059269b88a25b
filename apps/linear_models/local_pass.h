// apps/linear_models/local_pass.h -- the steps of one shard in one round: row after row, on its own copy of the weights
// of the table.
//
// A feature is in some rows only, so a row with it also bears the penalties of the rows without: its `presence` times
// l1 |w| + l2/2 w^2.  In the mean over the rows that is each penalty once, and only weights of a row's features change.
// Penalties are applied as proximal steps, so that they never overshoot, and L1 gives weights that are exactly 0.
//
// A step is a class with
//
//   static constexpr std::uint32_t kWidth;          // numbers of a row of the table, see RowLayout
//   static constexpr bool kShares;
//   void begin_row(double t);                       // t counts the rows that the shard has seen
//   void begin(double* row, const RowLayout&, std::uint32_t key);
//                                                   // optional: for a row that was just copied from the table
//   void operator()(double* state, double gradient, const FeatureScale&);
//   void end(double* row, const RowLayout&);        // optional: at the end of the round
//   void two(double* a, double* b, TwoDoubles gradients, const FeatureScale& of_a, const FeatureScale& of_b);
//                                                   // optional: the steps of two weights at once
//
// and with kShares, for several outputs:
//
//   void begin_row(double t, std::span<const double> slopes);
//   void all(double* row, std::span<const double> slopes, double value, const FeatureScale&);
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/linear_models/losses.h"
#include "apps/linear_models/ordered_sum.h"
#include "apps/linear_models/read_rows.h"
#include "apps/linear_models/row_scores.h"
#include "rota/numerics/widest_registers.h"

namespace rota::linear {

// Two lanes that the processor computes at once.
using TwoDoubles = double __attribute__((vector_size(16)));

// A row of the table, and of the shard's copy: the state of output 0, of output 1, ...
class LocalPass {
 public:
  // The data must outlive it.  The copy's memory is touched here, so that the first epoch takes no longer than others.
  LocalPass(const Settings& settings, const SharedData& all)
      : loss_(settings.loss),
        scales_(all.scales),
        outputs_(all.outputs),
        layout_(settings.layout(outputs_)),
        width_(layout_.width()),
        state_(scales_.size() * width_),
        run_of_(scales_.size()) {}

  // Visits the rows of `order` in turn, by the step of these settings; `seen` is the number that a shard has seen
  // before.  Returns the sum of their losses, each before its own step, times the rows' weights.  With slopes of the
  // rows at a snapshot, row after row, steps are along the differences from these, and it returns 0.  `keys`: the
  // features of these rows, if known: copied from the table before the first row, they cost no mispredicted branches.
  template <typename Step>
  double run(Step step, const ShardRows& data, std::span<const std::uint32_t> order, double seen,
             std::span<const double> table, std::span<const std::uint32_t> keys,
             std::span<const double> slopes_at_snapshot = {}) {
    if (++run_ == 0) {
      std::fill(run_of_.begin(), run_of_.end(), 0);
      run_ = 1;
    }
    touched_.clear();
    for (const std::uint32_t key : keys) begin(key, table.data(), step);
    const Visit visited{data, order, seen, table.data(), slopes_at_snapshot};
    return with_loss(loss_, outputs_, [&](auto loss) { return visit(loss, step, visited); });
  }

  // Of the last run: the features that were in a row, each once, and their new rows of the table.
  const std::vector<std::uint32_t>& touched() const { return touched_; }
  std::span<const double> state(std::uint32_t key) const { return {state_.data() + key * width_, width_}; }

 private:
  struct Visit {
    const ShardRows& data;
    std::span<const std::uint32_t> order;
    double seen;
    const double* table;
    std::span<const double> slopes_at_snapshot;

    // Prefetches rows ahead of the i-th one.
    void expect(std::size_t i) const {
      constexpr std::size_t kAhead = 8;
      if (i + 2 * kAhead < order.size()) data.rows.expect_begin(order[i + 2 * kAhead]);
      if (i + kAhead < order.size()) data.rows.expect(order[i + kAhead]);
    }
  };

  // For one output ...
  template <typename LossOfRow, typename Step>
  double visit(OneOutput<LossOfRow>, Step step, const Visit& of) {
    const FeatureScale* const scales = scales_.data();
    links_.resize(of.order.size());
    targets_.resize(of.order.size());
    for (std::size_t i = 0; i < of.order.size(); ++i) {
      of.expect(i);
      const std::uint32_t r = of.order[i];
      const std::span<const Entry> row = of.data.rows[r];
      double sums[2] = {0, 0};  // side by side, because an addition waits for the previous one
      const auto term = [&](const Entry& entry) {
        return own(entry.key, of.table, step)[0] * static_cast<double>(entry.value);
      };
      std::size_t k = 0;
      for (; k + 1 < row.size(); k += 2) {
        sums[0] += term(row[k]);
        sums[1] += term(row[k + 1]);
      }
      if (k < row.size()) sums[0] += term(row[k]);
      const double link = sums[0] + sums[1];
      links_[i] = link;
      targets_[i] = of.data.targets[r];
      double slope = LossOfRow::slope(link, targets_[i]);
      if (!of.slopes_at_snapshot.empty()) slope -= of.slopes_at_snapshot[r];
      if (!of.data.weights.empty()) slope *= of.data.weights[r];
      step.begin_row(of.seen + static_cast<double>(i + 1));
      k = 0;
      double* const states = state_.data();
      if constexpr (requires { &Step::two; })
        for (; k + 1 < row.size(); k += 2) {
          const Entry a = row[k], b = row[k + 1];
          const TwoDoubles values = {static_cast<double>(a.value), static_cast<double>(b.value)};
          step.two(states + a.key * Step::kWidth, states + b.key * Step::kWidth, slope * values, scales[a.key],
                   scales[b.key]);
        }
      for (; k < row.size(); ++k)
        step(states + row[k].key * Step::kWidth, slope * static_cast<double>(row[k].value), scales[row[k].key]);
    }
    finish(step);
    if (!of.slopes_at_snapshot.empty()) return 0;
    // After the steps, so that it does not delay them.
    to_losses<LossOfRow>(links_, targets_);
    return chunked_sum(of.order.size(), [&](std::size_t i) { return of.data.weight(of.order[i]) * links_[i]; });
  }
  // ... and for one per class.
  template <typename Outputs, typename Step>
  ROTA_WIDEST_REGISTERS double visit(Outputs, Step step, const Visit& of) {
    constexpr std::uint32_t kStride = Step::kWidth - (Step::kShares ? 1 : 0);
    links_.resize(outputs_);
    double losses = 0;
    for (std::size_t i = 0; i < of.order.size(); ++i) {
      of.expect(i);
      const std::uint32_t r = of.order[i];
      const std::span<const Entry> row = of.data.rows[r];
      std::fill(links_.begin(), links_.end(), 0.0);
      for (std::size_t at = 0; at < row.size(); ++at) {
        expect_outputs(row, at, state_.data(), width_);
        const double* const state = own(row[at].key, of.table, step);
        const auto value = static_cast<double>(row[at].value);
        double* const __restrict links = links_.data();
        for (std::uint32_t k = 0; k < outputs_; ++k) links[k] += state[k * kStride] * value;
      }
      const double weight = of.data.weight(r);
      losses += weight * Outputs::slopes(links_, of.data.targets[r]);
      if (!of.slopes_at_snapshot.empty())
        for (std::uint32_t k = 0; k < outputs_; ++k) links_[k] -= of.slopes_at_snapshot[std::size_t{r} * outputs_ + k];
      for (double& slope : links_) slope *= weight;
      const double t = of.seen + static_cast<double>(i + 1);
      if constexpr (Step::kShares)
        step.begin_row(t, links_);
      else
        step.begin_row(t);
      for (const Entry& entry : row) {
        double* const state = state_.data() + entry.key * width_;
        const auto value = static_cast<double>(entry.value);
        if constexpr (Step::kShares)
          step.all(state, links_, value, scales_[entry.key]);
        else
          for (std::uint32_t k = 0; k < outputs_; ++k) step(state + k * kStride, links_[k] * value, scales_[entry.key]);
      }
    }
    finish(step);
    return of.slopes_at_snapshot.empty() ? losses : 0;
  }
  template <typename Step>
  void finish(Step step) {
    if constexpr (requires { step.end(state_.data(), layout_); })
      for (const std::uint32_t key : touched_) step.end(state_.data() + key * width_, layout_);
  }
  // The state of a feature, which is copied from the table if this is the first row with it.
  template <typename Step>
  double* own(std::uint32_t key, const double* table, const Step& step) {
    if (run_of_[key] != run_) [[unlikely]]
      begin(key, table, step);
    return state_.data() + key * width_;
  }
  // The step is passed by value, so that the loop's own one stays in registers.
  template <typename Step>
  [[gnu::noinline]] void begin(std::uint32_t key, const double* table, Step step) {
    double* const state = state_.data() + key * width_;
    run_of_[key] = run_;
    touched_.push_back(key);
    std::copy_n(table + key * width_, width_, state);
    if constexpr (requires { step.begin(state, layout_, key); }) step.begin(state, layout_, key);
  }

  Loss loss_;
  const std::vector<FeatureScale>& scales_;
  std::uint32_t outputs_;
  RowLayout layout_;  // of a row of the table
  std::size_t width_;
  std::vector<double> state_;
  std::vector<std::uint32_t> run_of_;  // the last run that had the feature
  std::uint32_t run_ = 0;
  std::vector<std::uint32_t> touched_;
  std::vector<double> links_;    // of the rows of a run, later their losses; or of a row's outputs
  std::vector<double> targets_;  // of the rows of a run, if there is one output
};

}  // namespace rota::linear
