#include "apps/sgd/settings.h"

#include <string_view>
#include <utility>

#include "rota/error.h"
#include "rota/io/libsvm.h"

namespace rota::sgd {
namespace {

using Kind = Option::Kind;

constexpr Needs kSteps = {"--optimizer=sgd, adagrad, ftrl or svrg",
                          [](const Options& options) { return !settings_of(options).is_exact(); }};
constexpr Needs kEpochs = {"--optimizer=sgd, adagrad or ftrl",
                           [](const Options& options) { return !settings_of(options).ends_at_optimum(); }};
constexpr Needs kOptimum = {"--optimizer=svrg, svm or newton",
                            [](const Options& options) { return settings_of(options).ends_at_optimum(); }};
constexpr Needs kLag = {"--optimizer=sgd, adagrad or ftrl without --exchange=allreduce", [](const Options& options) {
                          return kEpochs.met(options) && options.text("exchange") != "allreduce";
                        }};

constexpr Option kOptions[] = {
    {.name = "loss",
     .kind = Kind::choice,
     .default_value = "logistic",
     .unit = "logistic|squared|hinge|squared_hinge|softmax",
     .meaning = "Loss of a row; all but squared are for classes, with any numbers as labels, and all of these but "
                "softmax for two."},
    real_option(
        "l2", "0", "", 0, 1e9,
        "Penalty: half of this times the sum of squared weights, beside the mean loss of n rows.  It is alpha of "
        "scikit-learn's SGDClassifier and SGDRegressor, alpha / n of Ridge, and 1 / (C n) for C of "
        "LogisticRegression, LinearSVC and LIBLINEAR."),
    real_option(
        "l1", "0", "", 0, 1e9,
        "Penalty: this times the sum of the weights' sizes, beside the mean loss of n rows.  It is alpha of "
        "scikit-learn's Lasso and SGDClassifier, and 1 / (C n) for C of LogisticRegression and LIBLINEAR's -s 6."),
    {.name = "intercept", .kind = Kind::flag, .default_value = "true", .meaning = "Fit an intercept."},
    {.name = "penalize_intercept",
     .kind = Kind::flag,
     .default_value = "false",
     .meaning = "Penalise the intercept too, as with LIBLINEAR's -B 1.",
     .needs = {"--intercept", [](const Options& options) { return options.flag("intercept"); }}},
    {.name = "one_against_rest",
     .kind = Kind::flag,
     .default_value = "false",
     .meaning = "With more than two classes, fit each against all others, with a loss of two classes."},
    {.name = "optimizer",
     .kind = Kind::choice,
     .default_value = "adagrad",
     .unit = "sgd|adagrad|ftrl|svrg|svm|newton",
     .meaning = "How a gradient becomes a step; svm (of hinge losses), newton and svrg (of smooth ones) go to the "
                "optimum."},
    real_option("tolerance", "1e-6", "", 1e-15, 1,
                "Where newton and svrg end: size of the gradient as a share of that at the beginning; svm: the duality "
                "gap as a share of the objective.",
                kOptimum),
    real_option("learning_rate", "", "", 1e-12, 1e6,
                "Size of the steps (2; with --optimizer=sgd of logistic, hinge and softmax 16; svrg 1); see "
                "--normalized for its "
                "unit.",
                kSteps),
    {.name = "normalized",
     .kind = Kind::flag,
     .default_value = "true",
     .meaning = "Steps fit the largest value of each feature and the size of rows.",
     .needs = kSteps},
    integer_option(
        "sync_rows", "131072", "rows", 1, 4294967295.0,
        "Rows between two averagings, over all shards: each shard takes its own in sequence, then the weights are "
        "averaged (the period of local SGD).",
        kEpochs),
    {.name = "exchange",
     .kind = Kind::choice,
     .default_value = "store",
     .unit = "store|allreduce|butterfly|alltoall|halton",
     .meaning = "How the shards' weights are combined: by the store, or from shard to shard (README.md)."},
    {.name = "class_weights",
     .kind = Kind::choice,
     .default_value = "equal",
     .unit = "equal|balanced",
     .meaning = "balanced: rows count so that the classes' shares are equal."},
    {.name = "weights", .kind = Kind::path, .meaning = "File with a weight for every row, one a line."},
    integer_option("bits", "0", "bits", 0, 22,
                   "Features are hashed to 2^bits; 0: each has a weight of its own, or with --format=vw 18."),
    {.name = "format",
     .kind = Kind::choice,
     .default_value = "libsvm",
     .unit = "libsvm|vw",
     .meaning = "Of the data: LIBSVM's, or plain features of Vowpal Wabbit's, whose names are hashed."},
    with_needs(io::kIndexFrom,
               {"--format=libsvm", [](const Options& options) { return options.text("format") == "libsvm"; }}),
    {.name = "average",
     .kind = Kind::flag,
     .default_value = "false",
     .meaning = "The model is the mean of the weights over the steps of the last round, not their last values.",
     .needs = kEpochs},
    {.name = "stream",
     .kind = Kind::flag,
     .default_value = "false",
     .meaning = "Rows are not kept in memory, but read from the files again in every epoch, in their order."},
};

constexpr std::uint32_t kNameBits = 18;
constexpr double kDefaultRate = 2, kDefaultPlainRate = 16, kDefaultSvrgRate = 1;
constexpr std::uint64_t kDefaultEpochs = 20, kMostEpochsToOptimum = 1000;

template <typename T, std::size_t N>
T choice(std::string_view text, const std::pair<std::string_view, T> (&values)[N]) {
  for (const auto& [name, value] : values)
    if (name == text) return value;
  throw UsageError("'" + std::string(text) + "' is not one of the choices");
}

double default_rate(Optimizer optimizer, Loss loss) {
  return optimizer == Optimizer::svrg                                     ? kDefaultSvrgRate
         : optimizer == Optimizer::sgd && !has_slopes_without_bound(loss) ? kDefaultPlainRate
                                                                          : kDefaultRate;
}

}  // namespace

std::span<const Option> options() {
  return kOptions;
}

void check(const Options& options) {
  if (options.text("loss") == "squared" && options.text("class_weights") == "balanced")
    throw UsageError("--class_weights=balanced: --loss=squared has no classes");
  const Settings settings = settings_of(options);
  const bool hinges = settings.loss == Loss::hinge || settings.loss == Loss::squared_hinge;
  if (settings.one_against_rest && !has_two_classes(settings.loss))
    throw UsageError("--one_against_rest: --loss=" + std::string(options.text("loss")) +
                     " is not a loss of two classes");
  if (settings.is_exact() && settings.l1 > 0)
    throw UsageError("--l1: --optimizer=" + std::string(options.text("optimizer")) + " has the L2 penalty only");
  if (settings.optimizer == Optimizer::svm && !(hinges && settings.l2 > 0))
    throw UsageError("--optimizer=svm requires --loss=hinge or squared_hinge, and --l2 above 0");
  const std::string exchange = "--exchange=" + std::string(options.text("exchange"));
  if (settings.ends_at_optimum() && settings.exchange != Exchange::store)
    throw UsageError(exchange + ": --optimizer=" + std::string(options.text("optimizer")) +
                     " requires --exchange=store");
  if (settings.optimizer == Optimizer::ftrl && settings.exchange != Exchange::store &&
      settings.exchange != Exchange::allreduce)
    throw UsageError(
        exchange + " averages weights, which --optimizer=ftrl derives from other numbers; store and allreduce do not");
  if (settings.optimizer == Optimizer::newton && (settings.loss == Loss::hinge || settings.loss == Loss::softmax))
    throw UsageError("--optimizer=newton requires --loss=logistic, squared or squared_hinge");
  if (settings.optimizer == Optimizer::svrg && settings.loss == Loss::hinge)
    throw UsageError(
        "--optimizer=svrg requires a smooth loss: slopes of --loss=hinge jump even near the optimum, so their "
        "variance does not shrink; --optimizer=svm fits it");
  if (settings.stream && settings.ends_at_optimum())
    throw UsageError("--stream: --optimizer=" + std::string(options.text("optimizer")) +
                     " requires its rows in memory");
  if (settings.stream && (!settings.weights.empty() || settings.class_weights == ClassWeights::balanced))
    throw UsageError("--stream: --weights and --class_weights require the rows in memory");
}

std::span<const FrameworkNeeds> framework_needs() {
  static constexpr FrameworkNeeds kNeeds[] = {{"asynchronous", kLag}, {"staleness", kLag}, {"pipeline", kEpochs}};
  return kNeeds;
}

Settings settings_of(const Options& options) {
  static constexpr std::pair<std::string_view, Loss> kLosses[] = {{"logistic", Loss::logistic},
                                                                  {"squared", Loss::squared},
                                                                  {"hinge", Loss::hinge},
                                                                  {"squared_hinge", Loss::squared_hinge},
                                                                  {"softmax", Loss::softmax}};
  static constexpr std::pair<std::string_view, Optimizer> kOptimizers[] = {
      {"sgd", Optimizer::sgd}, {"adagrad", Optimizer::adagrad}, {"ftrl", Optimizer::ftrl},
      {"svm", Optimizer::svm}, {"newton", Optimizer::newton},   {"svrg", Optimizer::svrg}};
  static constexpr std::pair<std::string_view, Exchange> kExchanges[] = {{"store", Exchange::store},
                                                                         {"allreduce", Exchange::allreduce},
                                                                         {"butterfly", Exchange::butterfly},
                                                                         {"alltoall", Exchange::alltoall},
                                                                         {"halton", Exchange::halton}};
  Settings settings;
  settings.exchange = choice(options.text("exchange"), kExchanges);
  settings.loss = choice(options.text("loss"), kLosses);
  settings.optimizer = choice(options.text("optimizer"), kOptimizers);
  if (options.text("class_weights") == "balanced") settings.class_weights = ClassWeights::balanced;
  settings.l1 = options.real("l1");
  settings.l2 = options.real("l2");
  settings.rate =
      options.has("learning_rate") ? options.real("learning_rate") : default_rate(settings.optimizer, settings.loss);
  settings.intercept = options.flag("intercept");
  settings.normalized = options.flag("normalized") || settings.is_exact();
  settings.squared_scales = settings.optimizer == Optimizer::sgd || settings.ends_at_optimum();
  settings.penalized_intercept = options.flag("penalize_intercept") && (settings.l1 > 0 || settings.l2 > 0);
  settings.one_against_rest = options.flag("one_against_rest");
  settings.tolerance = options.real("tolerance");
  const auto epochs = options.has("epochs") ? static_cast<std::uint64_t>(options.integer("epochs")) : 0;
  settings.epochs = epochs > 0 ? epochs : settings.ends_at_optimum() ? kMostEpochsToOptimum : kDefaultEpochs;
  settings.sync_rows = static_cast<std::uint64_t>(options.integer("sync_rows"));
  settings.bits = static_cast<std::uint32_t>(options.integer("bits"));
  settings.weights = options.text("weights");
  settings.average = options.flag("average");
  settings.stream = options.flag("stream");
  if (options.text("format") == "vw") {
    settings.format = linear::RowFormat::vw;
    if (settings.bits == 0) settings.bits = kNameBits;
  }
  settings.index_from = io::index_from(options);
  settings.held_out = options.has("valid");
  return settings;
}

}  // namespace rota::sgd
