#include "apps/lasso/by_rows/pull.h"

#include <algorithm>

namespace rota::lasso {
namespace {

// A block is done when the gain of a sweep is this share of the first one's, or after a maximal number of sweeps.
// Almost equal columns need hundreds, but sweeps need no exchange.
constexpr double kSolved = 1e-6;
constexpr int kSweepsMost = 200;

}  // namespace

void BlockDescent::collect(const RowsModel& model, std::span<const PullEntry> block, double slope) {
  descents_.clear();
  if (products_.size() < block.size()) products_.resize(block.size());
  for (std::size_t q = 0; q < block.size(); ++q) {
    const auto& [j, sum, value] = block[q];
    descents_.push_back(sum[0] - model.mean(j) * slope);
    products_[q].clear();
    for (std::size_t k = 0; k < q; ++k) {
      if (sum[1 + k] == 0) continue;
      products_[q].push_back({k, sum[1 + k]});
      products_[k].push_back({q, sum[1 + k]});
    }
  }
}

void BlockDescent::minimise(RowsModel& model, std::span<const PullEntry> block, double slope) {
  collect(model, block, slope);
  const double h = model.h();
  double shift = 0;  // of the mean of the predictions, which the intercept compensates
  double first = 0;
  for (int sweep = 0; sweep < kSweepsMost; ++sweep) {
    double gain = 0;
    for (std::size_t q = 0; q < block.size(); ++q) {
      const Key j = block[q].key;
      const double best = model.best(j, descents_[q] + h * model.mean(j) * shift);
      const double change = best - model.coefficient(j);
      if (change == 0) continue;
      model.set(j, best);
      descents_[q] -= change * h * model.square(j);
      for (const Product& product : products_[q]) descents_[product.with] -= change * h * product.value;
      shift += model.mean(j) * change;
      gain = std::max(gain, change * change * model.curvature(j));
    }
    if (sweep == 0) first = gain;
    if (block.size() == 1 || gain <= kSolved * first) return;
  }
}

void RowsPull::pull(const PullTask& task) {
  const Argument argument = argument_of(task.argument);
  model_.set_lambda(argument.lambda);
  switch (argument.step) {
    case Step::start:
      return model_.start(task);
    case Step::screen:
      return model_.screen(task);
    case Step::update:
      return update(task);
    case Step::undo:
      return model_.undo(task);
    default:
      return model_.record(task);
  }
}

// b_j = S(sum of all z_j + G_jj b_j, lambda) / G_jj for a single coefficient; a block is minimised as a whole.
void RowsPull::update(const PullTask& task) {
  std::span<const PullEntry> entries = task.entries.named();
  std::span<const std::uint32_t> blocks = task.blocks;
  const bool has_intercept = !entries.empty() && entries[0].key == kIntercept;
  // The intercept is in every round, so its sum of slopes lacks the effect of the last `staleness` rounds.
  const double slope = has_intercept ? entries[0].sum[0] / (1 + staleness_) : 0;
  if (has_intercept) {
    entries = entries.subspan(1);
    if (!blocks.empty()) blocks = blocks.subspan(1);
  }
  model_.count_updates(entries.size());
  for (std::size_t at = 0, b = 0; at < entries.size(); ++b) {
    const std::size_t size = blocks.empty() ? 1 : blocks[b];
    descent_.minimise(model_, entries.subspan(at, size), slope);
    at += size;
  }
  double shift = 0;  // of the mean of the predictions
  for (const auto& [j, sum, value] : entries) {
    shift += model_.mean(j) * (model_.coefficient(j) - value[0]);
    value[0] = model_.coefficient(j);
  }
  if (has_intercept) model_.set(kIntercept, task.entries[0].value[0] += slope / model_.h() - shift);
}

void RowsPull::evaluate(TableId table, Key key, std::span<const double> value, Terms terms) const {
  if (table != kCoefficients || key == kIntercept || value[0] == 0) return;
  terms[kPenaltyTerm] += model_.penalty(key, value[0]);
  terms[kNonzerosTerm] += 1;
}

}  // namespace rota::lasso
