#include "apps/lasso/by_rows/block_descent.h"

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

}  // namespace rota::lasso
