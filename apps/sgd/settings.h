// apps/sgd/settings.h -- the options of the SGD app and what they say.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/linear/row_block.h"
#include "rota/options.h"
#include "rota/types.h"

namespace rota::sgd {

enum class Loss { logistic, squared, hinge, squared_hinge, softmax };
// How the shards' weights come together.
enum class Exchange { store, allreduce, butterfly, all, halton };
enum class Optimizer { sgd, adagrad, ftrl, dual, newton, svrg };
// What a row counts for beside its own weight: once, or so that all classes count for the same.
enum class ClassWeights { equal, balanced };

// The response is one of two classes.
inline bool has_two_classes(Loss loss) {
  return loss == Loss::logistic || loss == Loss::hinge || loss == Loss::squared_hinge;
}

struct Settings {
  Loss loss = Loss::logistic;
  Optimizer optimizer = Optimizer::adagrad;
  Exchange exchange = Exchange::store;
  ClassWeights class_weights = ClassWeights::equal;
  double l1 = 0, l2 = 0;
  double rate = 1;
  bool intercept = true, normalized = true;
  bool penalized_intercept = false;
  bool one_against_rest = false;
  double tolerance = 1e-6;       // of the optimisers that end at the optimum
  std::uint64_t epochs = 20;     // at most
  std::uint64_t batch = 131072;  // rows in a round, of all shards
  std::uint32_t bits = 0;        // features are hashed to 2^bits; 0: they are not
  std::string weights;           // file of the rows' weights, or ""
  linear::RowFormat format = linear::RowFormat::libsvm;
  bool average = false;   // the model is the mean of a round's weights
  bool stream = false;    // rows are read again in every epoch
  bool held_out = false;  // there is --valid
  Key least_keys = 0;     // of the table: those of the model that the job begins with

  // Numbers of state for each output of a feature's row: the weight first, then what the optimiser remembers.
  std::uint32_t state_width() const {
    const bool three = optimizer == Optimizer::ftrl || optimizer == Optimizer::svrg;
    return (optimizer == Optimizer::sgd ? 1 : three ? 3 : 2) + (averages() ? 1 : 0);
  }
  bool averages() const { return average && !ends_at_optimum(); }
  // Where in it the model's weight is: behind what the optimiser has there is the mean.
  std::uint32_t model_weight() const { return averages() ? state_width() - 1 : 0; }
  bool is_exact() const { return optimizer == Optimizer::dual || optimizer == Optimizer::newton; }
  // Pull decides from round to round what comes next (plan.h), until --tolerance is reached.
  bool ends_at_optimum() const { return is_exact() || optimizer == Optimizer::svrg; }
  // Linear predictions of a row: of softmax, and of each class against the rest, one for each class.
  std::uint32_t outputs(std::uint64_t classes) const {
    return loss == Loss::softmax || (one_against_rest && classes > 2) ? static_cast<std::uint32_t>(classes) : 1;
  }
};

std::span<const Option> options();
std::vector<Ignored> ignored(const Options& options);
// Throws UsageError if the options do not go together.
void check(const Options& options);
Settings settings_of(const Options& options);

}  // namespace rota::sgd
