// apps/sgd/settings.h -- the options of the SGD app.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/linear/shard_rows.h"
#include "rota/plugin.h"

namespace rota::sgd {

// How the shards' weights are combined.
enum class Exchange { store, allreduce, butterfly, alltoall, halton };
enum class Optimizer { sgd, adagrad, ftrl, svm, newton, svrg };
// The types of all linear models are used without their namespace here.
using linear::ClassWeights;
using linear::Entry;
using linear::FeatureScale;
using linear::has_two_classes;
using linear::kIntercept;
using linear::Loss;
using linear::Rows;
using linear::ShardRows;

// Whether a step that is too long makes the next one longer.
inline bool has_slopes_without_bound(Loss loss) {
  return loss == Loss::squared || loss == Loss::squared_hinge;
}

struct Settings : linear::RowOptions {
  Optimizer optimizer = Optimizer::adagrad;
  Exchange exchange = Exchange::store;
  double l1 = 0, l2 = 0;
  double rate = 1;
  double beta = 1;                   // of FTRL, in the unit of a feature's steps: see in_units()
  double tolerance = 1e-6;           // of the optimisers that end at the optimum
  std::uint64_t epochs = 20;         // at most
  std::uint64_t sync_rows = 131072;  // rows in a round, of all shards
  bool average = false;              // the model is the mean of a round's weights

  // Numbers of state for each output of a feature's row: the weight first, then the optimiser's state.
  std::uint32_t state_width() const {
    const bool three = optimizer == Optimizer::ftrl || optimizer == Optimizer::svrg;
    return (optimizer == Optimizer::sgd ? 1 : three ? 3 : 2) + (averages() ? 1 : 0);
  }
  bool averages() const { return average && !ends_at_optimum(); }
  // The position of the model's weight in it: the mean follows the optimiser's state.
  std::uint32_t model_weight() const { return averages() ? state_width() - 1 : 0; }
  bool is_exact() const { return optimizer == Optimizer::svm || optimizer == Optimizer::newton; }
  // Labels are numbers, and fitted less their mean.  A penalised intercept is not changed.
  bool centres() const { return loss == Loss::squared && intercept && !penalized_intercept; }
  // Scales settings for slopes, and with them weights, that are larger than those of a loss of classes: steps of the
  // optimisers that divide by slopes must be larger, too.  `of_steps` is the step of a feature whose largest value is
  // 1.
  Settings in_units(double of_slopes, double of_steps) const {
    Settings out = *this;
    const bool divides = optimizer == Optimizer::adagrad || optimizer == Optimizer::ftrl;
    if (!divides || !normalized) return out;
    out.beta = of_slopes * of_steps;
    out.rate *= of_slopes;
    return out;
  }
  // Pull decides from round to round on the next one (plan.h), until --tolerance is reached.
  bool ends_at_optimum() const { return is_exact() || optimizer == Optimizer::svrg; }
};

std::span<const Option> options();
std::span<const FrameworkNeeds> framework_needs();
// Throws UsageError if the options contradict each other.
void check(const Options& options);
Settings settings_of(const Options& options);

}  // namespace rota::sgd
