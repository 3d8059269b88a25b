#include "apps/sgd/local_pass.h"

#include <algorithm>

#include "apps/linear_models/losses.h"
#include "apps/linear_models/ordered_sum.h"
#include "apps/linear_models/row_scores.h"
#include "apps/sgd/steps.h"

namespace rota::sgd {
namespace {

// How many rows ahead memory is prefetched.
constexpr std::size_t kAhead = 8;

void expect_rows(const Rows& rows, std::span<const std::uint32_t> order, std::size_t i) {
  if (i + 2 * kAhead < order.size()) rows.expect_begin(order[i + 2 * kAhead]);
  if (i + kAhead < order.size()) rows.expect(order[i + kAhead]);
}

}  // namespace

LocalPass::LocalPass(const Settings& settings, std::shared_ptr<const std::vector<FeatureScale>> scales,
                     std::uint32_t outputs, std::span<const double> first_squares)
    : settings_(settings),
      scales_(std::move(scales)),
      outputs_(outputs),
      first_squares_(first_squares),
      width_(std::size_t{outputs} * settings.state_width()) {}

double LocalPass::run(const ShardRows& data, std::span<const std::uint32_t> order, double seen,
                      std::span<const double> table) {
  state_.resize(table.size());
  run_of_.resize(scales_->size());
  if (++run_ == 0) {
    std::fill(run_of_.begin(), run_of_.end(), 0);
    run_ = 1;
  }
  touched_.clear();
  switch (settings_.optimizer) {
    case Optimizer::sgd:
      return visit_averaging<PlainStep>(data, order, seen, table.data());
    case Optimizer::ftrl:
      return visit_averaging<FtrlStep>(data, order, seen, table.data());
    case Optimizer::svrg:
      return visit_by<SvrgStep>(data, order, seen, table.data());
    default:
      break;
  }
  return visit_averaging<AdagradStep>(data, order, seen, table.data());
}

void LocalPass::run_from(std::span<const double> slopes, double rate, const ShardRows& data,
                         std::span<const std::uint32_t> order, std::span<const double> table) {
  settings_.rate = rate;
  slopes_at_snapshot_ = slopes;
  run(data, order, 0, table);
}

template <typename Step>
double LocalPass::visit_averaging(const ShardRows& data, std::span<const std::uint32_t> order, double seen,
                                  const double* table) {
  if (!settings_.averages()) return visit_by<Step>(data, order, seen, table);
  const double losses = visit_by<AveragedStep<Step>>(data, order, seen, table);
  for (const std::uint32_t key : touched_)
    for (double* state = state_.data() + key * width_; state < state_.data() + (key + std::size_t{1}) * width_;
         state += Step::kWidth + 1)
      state[Step::kWidth] = state[0] - state[Step::kWidth] / static_cast<double>(order.size());
  return losses;
}

template <typename Step>
double LocalPass::visit_by(const ShardRows& data, std::span<const std::uint32_t> order, double seen,
                           const double* table) {
  return linear::with_loss(settings_.loss, outputs_,
                           [&](auto loss) { return visit<Step>(loss, data, order, seen, table); });
}

template <typename Step, typename LossOfRow>
double LocalPass::visit(linear::OneOutput<LossOfRow>, const ShardRows& data, std::span<const std::uint32_t> order,
                        double seen, const double* table) {
  Step step(settings_);
  const FeatureScale* const scales = scales_->data();
  links_.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    expect_rows(data.rows, order, i);
    const std::uint32_t r = order[i];
    const std::span<const Entry> row = data.rows[r];
    double sums[2] = {0, 0};  // side by side, because an addition waits for the previous one
    for (std::size_t k = 0; k < row.size(); ++k)
      sums[k % 2] += own(row[k].key, table)[0] * static_cast<double>(row[k].value);
    const double link = sums[0] + sums[1];
    links_[i] = link;
    double slope = LossOfRow::slope(link, data.targets[r]);
    if (!slopes_at_snapshot_.empty()) slope -= slopes_at_snapshot_[r];
    if (!data.weights.empty()) slope *= data.weights[r];
    step.begin_row(seen + static_cast<double>(i + 1));
    for (const Entry& entry : row)
      step(state_.data() + entry.key * Step::kWidth, slope * static_cast<double>(entry.value), scales[entry.key]);
  }
  if (!slopes_at_snapshot_.empty()) return 0;
  // After the steps, so that it does not delay them.
  return linear::chunked_sum(order.size(), [&](std::size_t i) {
    const double loss = LossOfRow::value(links_[i], data.targets[order[i]]);
    return data.weights.empty() ? loss : loss * data.weights[order[i]];
  });
}

template <typename Step, typename Outputs>
double LocalPass::visit(Outputs, const ShardRows& data, std::span<const std::uint32_t> order, double seen,
                        const double* table) {
  Step step(settings_);
  links_.resize(outputs_);
  double losses = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    expect_rows(data.rows, order, i);
    const std::uint32_t r = order[i];
    const std::span<const Entry> row = data.rows[r];
    std::fill(links_.begin(), links_.end(), 0.0);
    for (const Entry& entry : row) {
      const double* const state = own(entry.key, table);
      for (std::uint32_t k = 0; k < outputs_; ++k)
        links_[k] += state[k * Step::kWidth] * static_cast<double>(entry.value);
    }
    const double weight = data.weights.empty() ? 1 : data.weights[r];
    losses += weight * Outputs::slopes(links_, data.targets[r]);
    if (!slopes_at_snapshot_.empty())
      for (std::uint32_t k = 0; k < outputs_; ++k) links_[k] -= slopes_at_snapshot_[std::size_t{r} * outputs_ + k];
    step.begin_row(seen + static_cast<double>(i + 1));
    for (const Entry& entry : row) {
      double* const state = state_.data() + entry.key * width_;
      const FeatureScale& scale = (*scales_)[entry.key];
      for (std::uint32_t k = 0; k < outputs_; ++k)
        step(state + k * Step::kWidth, weight * links_[k] * static_cast<double>(entry.value), scale);
    }
  }
  return losses;
}

void LocalPass::begin(std::uint32_t key, double* state, const double* table) {
  run_of_[key] = run_;
  touched_.push_back(key);
  std::copy_n(table + key * width_, width_, state);
  for (std::size_t i = settings_.model_weight(); settings_.averages() && i < width_; i += settings_.state_width())
    state[i] = 0;  // starts again in each round
  if (settings_.optimizer == Optimizer::adagrad && key < first_squares_.size())
    for (std::size_t i = 0; i < width_; i += settings_.state_width())
      AdagradStep::begin(state + i, first_squares_[key]);
  for (std::size_t i = 0; settings_.optimizer == Optimizer::ftrl && i < width_; i += settings_.state_width())
    FtrlStep(settings_).begin(state + i, (*scales_)[key]);
}

}  // namespace rota::sgd
