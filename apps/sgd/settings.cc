#include "apps/sgd/settings.h"

#include <string>

#include "rota/error.h"

namespace rota::sgd {
namespace {

constexpr std::uint32_t kNameBits = 18;
constexpr double kDefaultRate = 2, kDefaultPlainRate = 16, kDefaultSvrgRate = 1;
constexpr std::uint64_t kMostEpochsToOptimum = 1000;

double default_rate(Optimizer optimizer, Loss loss) {
  if (optimizer == Optimizer::svrg) return kDefaultSvrgRate;
  return optimizer == Optimizer::sgd && !has_slopes_without_bound(loss) ? kDefaultPlainRate : kDefaultRate;
}

constexpr Needs kLag = {"--optimizer=sgd, adagrad or ftrl without --exchange=allreduce", [](const Options& options) {
                          return ends_after_epochs(options) && options.text("exchange") != "allreduce";
                        }};

}  // namespace

bool takes_steps(const Options& options) {
  return !settings_of(options).is_exact();
}
bool ends_after_epochs(const Options& options) {
  return !settings_of(options).ends_at_optimum();
}
bool ends_at_optimum(const Options& options) {
  return settings_of(options).ends_at_optimum();
}

void check(const Options& options) {
  const Settings settings = settings_of(options);
  settings.form.check();
  const std::string optimizer = "--optimizer=" + std::string(options.text("optimizer"));
  if (settings.loss == Loss::squared && settings.class_weights == ClassWeights::balanced)
    throw UsageError("--class_weights=balanced: --loss=squared has no classes");
  const bool hinges = settings.loss == Loss::hinge || settings.loss == Loss::squared_hinge;
  if (settings.one_against_rest && !has_two_classes(settings.loss))
    throw UsageError("--one_against_rest: --loss=" + std::string(options.text("loss")) +
                     " is not a loss of two classes");
  if (settings.is_exact() && settings.l1 > 0) throw UsageError("--l1: " + optimizer + " has the L2 penalty only");
  if (settings.optimizer == Optimizer::svm && !(hinges && settings.l2 > 0))
    throw UsageError("--optimizer=svm requires --loss=hinge or squared_hinge, and --l2 above 0");
  const std::string exchange = "--exchange=" + std::string(options.text("exchange"));
  if (settings.ends_at_optimum() && settings.exchange != Exchange::store)
    throw UsageError(exchange + ": " + optimizer + " requires --exchange=store");
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
    throw UsageError("--stream: " + optimizer + " requires its rows in memory");
  if (settings.stream && (!settings.weights.empty() || settings.class_weights == ClassWeights::balanced))
    throw UsageError("--stream: --weights and --class_weights require the rows in memory");
}

std::span<const FrameworkNeeds> framework_needs() {
  static constexpr FrameworkNeeds kNeeds[] = {{"asynchronous", kLag}, {"staleness", kLag}, {"pipeline", kEpochs}};
  return kNeeds;
}

Settings settings_of(const Options& options) {
  auto settings = rota::settings_of<Settings>(options);
  if (settings.rate == 0) settings.rate = default_rate(settings.optimizer, settings.loss);
  settings.normalized = settings.normalized || settings.is_exact();
  settings.squared_scales = settings.optimizer == Optimizer::sgd || settings.ends_at_optimum();
  settings.penalized_intercept = settings.penalized_intercept && (settings.l1 > 0 || settings.l2 > 0);
  const auto epochs = options.has("epochs") ? static_cast<std::uint64_t>(options.integer("epochs")) : 0;
  if (settings.ends_at_optimum()) settings.epochs = kMostEpochsToOptimum;
  if (epochs > 0) settings.epochs = epochs;
  if (settings.is_vw() && settings.bits == 0) settings.bits = kNameBits;
  settings.held_out = options.has("valid");
  return settings;
}

}  // namespace rota::sgd
