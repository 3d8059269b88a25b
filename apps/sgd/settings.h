// apps/sgd/settings.h -- the options of the app sgd.
#pragma once
#include <cstdint>
#include <string>

#include "apps/linear_models/settings.h"
#include "rota/error.h"
#include "rota/plugin.h"
#include "rota/settings.h"

namespace rota::sgd {

using linear::Loss;

// How the shards' weights are combined.
enum class Exchange { store, allreduce, butterfly, alltoall, halton };
enum class Optimizer { sgd, adagrad, ftrl };

// What a step of one weight depends on.
struct StepSettings : linear::Penalties {
  double rate = 0;
  double beta = 1;  // a gradient of slope 1 at a feature's unit, in the unit of its steps
};

struct Settings : linear::Settings {
  Optimizer optimizer = Optimizer::adagrad;
  Exchange exchange = Exchange::store;
  double rate = 0;
  std::uint64_t epochs = 20;         // at most
  std::uint64_t sync_rows = 131072;  // rows in a round, of all shards
  bool average = false;              // the model is the mean of a round's weights

  void options(auto& list) {
    linear::Settings::options(list);
    Option& option = list.choice("optimizer", optimizer,
                                 {{"sgd", Optimizer::sgd}, {"adagrad", Optimizer::adagrad}, {"ftrl", Optimizer::ftrl}},
                                 "How a gradient becomes a step: sgd, adagrad or ftrl.");
    option.kind = Option::Kind::text;  // settings_of() explains others
    option.unit = {};
    list.number("learning_rate", rate, "", 0, 1e6,
                "Size of the first steps; 0: 3 of logistic and softmax, 2 of hinge, else 1; with --optimizer=ftrl 2; "
                "with sgd 16 of logistic, hinge and softmax, else 2; see --normalized for its unit.");
    list.flag("normalized", normalized, "Steps fit the values of each feature and the size of rows.");
    list.number("sync_rows", sync_rows, "rows", 1, 4294967295.0,
                "Rows between two averagings, over all shards: each shard takes its own in sequence, then the weights "
                "are averaged (the period of local SGD).");
    list.choice("exchange", exchange,
                {{"store", Exchange::store},
                 {"allreduce", Exchange::allreduce},
                 {"butterfly", Exchange::butterfly},
                 {"alltoall", Exchange::alltoall},
                 {"halton", Exchange::halton}},
                "How the shards' weights are combined: by the store, or from shard to shard (README.md).");
    list.flag("average", average,
              "The model is the mean of the weights over the steps of the last round, not their last values.");
    list.flag("stream", stream,
              "Rows are not kept in memory, but read from the files again in every epoch, in their order.");
  }

  // Steps for slopes, and with them weights, that are larger than those of a loss of classes: those of the optimisers
  // that divide by slopes must be larger, too.  `of_steps` is the step of a feature whose unit is 1.
  StepSettings steps(double of_slopes, double of_steps) const {
    if (optimizer == Optimizer::sgd || !normalized) return {{l1, l2}, rate};
    return {{l1, l2}, rate * of_slopes, of_slopes * of_steps};
  }
};

// Throws UsageError if the options contradict each other.
inline Settings settings_of(const Options& options) {
  const std::string optimizer(options.text("optimizer")), exchange(options.text("exchange"));
  const auto refuse = [](bool wrong, const std::string& why) {
    if (wrong) throw UsageError(why);
  };
  refuse(
      optimizer == "newton" || optimizer == "svrg" || optimizer == "svm",
      "--optimizer=" + optimizer + " is a solver of another app: use `rota train linear --solver=" + optimizer + "`");
  refuse(optimizer != "sgd" && optimizer != "adagrad" && optimizer != "ftrl",
         "--optimizer=" + optimizer + ": must be one of sgd|adagrad|ftrl");
  auto settings = linear::checked_settings<Settings>(options);
  refuse(settings.optimizer == Optimizer::ftrl && settings.exchange != Exchange::store &&
             settings.exchange != Exchange::allreduce,
         "--exchange=" + exchange +
             " averages weights, which --optimizer=ftrl derives from other numbers; store and allreduce do not");
  refuse(settings.stream && (!settings.weights.empty() || settings.class_weights == linear::ClassWeights::balanced),
         "--stream: --weights and --class_weights require the rows in memory");
  const bool plain = settings.optimizer == Optimizer::sgd, adagrad = settings.optimizer == Optimizer::adagrad;
  const bool unbounded = linear::has_slopes_without_bound(settings.loss);
  if (settings.rate == 0 && adagrad)
    settings.rate = linear::has_probabilities(settings.loss) ? 3 : unbounded ? 1 : 2;
  else if (settings.rate == 0)
    settings.rate = plain && !unbounded ? 16 : 2;
  settings.squared_scales = plain;
  settings.usual_values = adagrad;
  settings.state_width = (plain ? 1 : settings.optimizer == Optimizer::ftrl ? 3 : 2) + (settings.average ? 1 : 0);
  settings.shares_state = adagrad;
  settings.averages = settings.average;
  if (options.has("epochs") && options.integer("epochs") > 0)
    settings.epochs = static_cast<std::uint64_t>(options.integer("epochs"));
  return settings;
}

}  // namespace rota::sgd
