// apps/sgd/settings.h -- the options of the SGD app.
#pragma once
#include <cstdint>
#include <span>

#include "apps/linear_models/shard_rows.h"
#include "rota/plugin.h"
#include "rota/settings.h"

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

// Conditions of options, by the optimiser.
bool takes_steps(const Options& options);
bool ends_after_epochs(const Options& options);
bool ends_at_optimum(const Options& options);
inline constexpr Needs kSteps = {"--optimizer=sgd, adagrad, ftrl or svrg", takes_steps};
inline constexpr Needs kEpochs = {"--optimizer=sgd, adagrad or ftrl", ends_after_epochs};
inline constexpr Needs kOptimum = {"--optimizer=svrg, svm or newton", ends_at_optimum};

// What a step of one weight depends on.
struct StepSettings {
  double l1 = 0, l2 = 0;
  double rate = 0;
  double beta = 1;  // of FTRL, in the unit of a feature's steps: see Settings::in_units()
};

struct Settings : linear::RowOptions, StepSettings {
  Optimizer optimizer = Optimizer::adagrad;
  Exchange exchange = Exchange::store;
  double tolerance = 1e-6;           // of the optimisers that end at the optimum
  std::uint64_t epochs = 20;         // at most
  std::uint64_t sync_rows = 131072;  // rows in a round, of all shards
  bool average = false;              // the model is the mean of a round's weights

  void options(auto& list) {
    RowOptions::options(list);
    list.number("l2", l2, "", 0, 1e9,
                "Penalty: half of this times the sum of squared weights, beside the mean loss of n rows.  It is alpha "
                "of scikit-learn's SGDClassifier and SGDRegressor, alpha / n of Ridge, and 1 / (C n) for C of "
                "LogisticRegression, LinearSVC and LIBLINEAR.");
    list.number("l1", l1, "", 0, 1e9,
                "Penalty: this times the sum of the weights' sizes, beside the mean loss of n rows.  It is alpha of "
                "scikit-learn's Lasso and SGDClassifier, and 1 / (C n) for C of LogisticRegression and LIBLINEAR's -s "
                "6.");
    list.choice("optimizer", optimizer,
                {{"sgd", Optimizer::sgd},
                 {"adagrad", Optimizer::adagrad},
                 {"ftrl", Optimizer::ftrl},
                 {"svrg", Optimizer::svrg},
                 {"svm", Optimizer::svm},
                 {"newton", Optimizer::newton}},
                "How a gradient becomes a step; svm (of hinge losses), newton and svrg (of smooth ones) go to the "
                "optimum.");
    list.number("tolerance", tolerance, "", 1e-15, 1,
                "Where newton and svrg end: size of the gradient as a share of that at the beginning; svm: the "
                "duality gap as a share of the objective.")
        .needs = kOptimum;
    list.number("learning_rate", rate, "", 0, 1e6,
                "Size of the steps; 0: 2, with --optimizer=sgd of logistic, hinge and softmax 16, with svrg 1; see "
                "--normalized for its unit.")
        .needs = kSteps;
    list.flag("normalized", normalized, "Steps fit the largest value of each feature and the size of rows.").needs =
        kSteps;
    list.number("sync_rows", sync_rows, "rows", 1, 4294967295.0,
                "Rows between two averagings, over all shards: each shard takes its own in sequence, then the weights "
                "are averaged (the period of local SGD).")
        .needs = kEpochs;
    list.choice("exchange", exchange,
                {{"store", Exchange::store},
                 {"allreduce", Exchange::allreduce},
                 {"butterfly", Exchange::butterfly},
                 {"alltoall", Exchange::alltoall},
                 {"halton", Exchange::halton}},
                "How the shards' weights are combined: by the store, or from shard to shard (README.md).");
    list.flag("average", average,
              "The model is the mean of the weights over the steps of the last round, not their last values.")
        .needs = kEpochs;
  }

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

std::span<const FrameworkNeeds> framework_needs();
// Throws UsageError if the options contradict each other.
void check(const Options& options);
Settings settings_of(const Options& options);

}  // namespace rota::sgd
