// apps/linear_models/settings.h -- the options that the apps of linear models have in common: how rows are read, their
// weights, the loss and the penalties.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "rota/error.h"
#include "rota/io/row_reader.h"
#include "rota/plugin.h"
#include "rota/types.h"

namespace rota::linear {

enum class Loss { logistic, squared, hinge, squared_hinge, softmax };
// The weight of a row beside its own: 1, or such that all classes have the same sum.
enum class ClassWeights { equal, balanced };

// The response is one of two classes.
inline bool has_two_classes(Loss loss) {
  return loss == Loss::logistic || loss == Loss::hinge || loss == Loss::squared_hinge;
}
// The loss is minus the logarithm of a probability.
inline bool has_probabilities(Loss loss) {
  return loss == Loss::logistic || loss == Loss::softmax;
}
// Whether a step that is too long makes the next one longer.
inline bool has_slopes_without_bound(Loss loss) {
  return loss == Loss::squared || loss == Loss::squared_hinge;
}

// Every worker keeps the table, and every shard data derived from it: more features must share weights (--bits).
inline constexpr std::uint32_t kMostBits = 22;
inline constexpr Key kMostFeatures = Key{1} << kMostBits;
inline constexpr Key kIntercept = 0;  // its row of the table; feature j, from 1, has row j

struct Penalties {
  double l1 = 0, l2 = 0;
};

// A row of the table: the numbers of each output, the weight first, and then those that several outputs share.
struct RowLayout {
  std::uint32_t outputs, stride, shared;

  // `width` is the state of a single output; with `shares`, several have its last number but the mean in common.
  RowLayout(std::uint32_t of, std::uint32_t width, bool shares)
      : outputs(of), stride(width - (shares && of > 1 ? 1 : 0)), shared(width - stride) {}
  std::uint32_t width() const { return outputs * stride + shared; }
};

struct Settings : Penalties {
  Loss loss = Loss::logistic;
  bool one_against_rest = false;
  bool intercept = true, penalized_intercept = false;
  ClassWeights class_weights = ClassWeights::equal;
  std::string weights = {};  // file of the rows' weights, or ""
  io::RowForm form = {};
  std::uint32_t bits = 0;  // features are hashed to 2^bits; 0: they are not
  bool held_out = false;   // --valid was given

  // Chosen by the app.
  std::uint32_t state_width = 1;                   // numbers of a feature's row for a single output
  bool shares_state = false;                       // see RowLayout
  bool averages = false;                           // the model's weight is the last number of an output, not the first
  bool normalized = true, squared_scales = false;  // of FeatureScale::step
  bool usual_values = false;                       // it fits a feature's root mean square, not its largest value
  bool takes_steps = true;                         // on rows, one by one: labels far from 0 prevent convergence
  double most_deviations = 10;                     // the largest mean, in deviations, of a column beside an intercept
  bool stream = false;                             // rows are read again in every epoch
  Key least_keys = 0;                              // of a table, if a model has more than the data

  void options(auto& list) {
    list.choice("loss", loss,
                {{"logistic", Loss::logistic},
                 {"squared", Loss::squared},
                 {"hinge", Loss::hinge},
                 {"squared_hinge", Loss::squared_hinge},
                 {"softmax", Loss::softmax}},
                "Loss of a row; all but squared are for classes, with any numbers as labels, or words in CSV, and all "
                "of these but softmax for two.");
    list.flag("one_against_rest", one_against_rest,
              "With more than two classes, fit each against all others, with a loss of two classes.");
    list.number("l2", l2, "", 0, 1e9,
                "Penalty: half of this times the sum of squared weights, beside the mean loss of n rows.  It is alpha "
                "of scikit-learn's SGDClassifier and SGDRegressor, alpha / n of Ridge, and 1 / (C n) for C of "
                "LogisticRegression, LinearSVC and LIBLINEAR.");
    list.number("l1", l1, "", 0, 1e9,
                "Penalty: this times the sum of the weights' sizes, beside the mean loss of n rows.  It is alpha of "
                "scikit-learn's Lasso and SGDClassifier, and 1 / (C n) for C of LogisticRegression and LIBLINEAR's -s "
                "6.");
    list.flag("intercept", intercept, "Fit an intercept.");
    list.flag("penalize_intercept", penalized_intercept, "Penalise the intercept too, as with LIBLINEAR's -B 1.")
        .needs = {"--intercept", [](const Options& options) { return options.flag("intercept"); }};
    list.choice("class_weights", class_weights, {{"equal", ClassWeights::equal}, {"balanced", ClassWeights::balanced}},
                "balanced: rows count so that the classes' shares are equal.");
    list.path("weights", weights, "File with a weight for every row, one a line.").about_input = true;
    list.number("bits", bits, "bits", 0, kMostBits,
                "Features are hashed to 2^bits; 0: each has a weight of its own, or with --format=vw 18.");
    list.choice("format", form.format,
                {{"auto", "auto"},
                 {"libsvm", "libsvm"},
                 {"csv", "csv"},
                 {"tsv", "tsv"},
                 {"matrix_market", "matrix_market"},
                 {"npy", "npy"},
                 {"npz", "npz"},
                 {"parquet", "parquet"},
                 {"vw", "vw"}},
                "The format of the rows; auto: by the file's content and, of text, its name's ending; vw: plain "
                "features of Vowpal Wabbit's, whose names are hashed.")
        .about_input = true;
    form.other_options(list);
  }

  bool is_vw() const { return form.format == "vw"; }
  // Linear predictions of a row: for softmax, and for each class against the rest, one for each class.
  std::uint32_t outputs(std::uint64_t classes) const {
    return loss == Loss::softmax || (one_against_rest && classes > 2) ? static_cast<std::uint32_t>(classes) : 1;
  }
  // Labels are numbers, and fitted less their mean.  A penalised intercept is not changed.
  bool centres() const { return loss == Loss::squared && intercept && !penalized_intercept; }
  RowLayout layout(std::uint32_t of) const { return {of, state_width, shares_state}; }
  std::uint32_t model_weight(const RowLayout& of) const { return averages ? of.stride - 1 : 0; }
  bool bears_penalty(Key key) const { return key != kIntercept || penalized_intercept; }
};

// The options that decide how data by shard is made (Plugin::packed_options).
inline constexpr std::string_view kPackedOptions[] = {"format", "target",    "separator", "missing",      "index_from",
                                                      "bits",   "intercept", "weights",   "class_weights"};
inline constexpr std::uint32_t kPackedFormat = 5;

// Of the app with the options S, derived from Settings, for a job.  Throws UsageError if options contradict each other.
template <typename S>
S checked_settings(const Options& options) {
  constexpr std::uint32_t kNameBits = 18;
  S settings = rota::settings_of<S>(options);
  settings.form.check();
  if (settings.loss == Loss::squared && settings.class_weights == ClassWeights::balanced)
    throw UsageError("--class_weights=balanced: --loss=squared has no classes");
  if (settings.one_against_rest && !has_two_classes(settings.loss))
    throw UsageError("--one_against_rest: --loss=" + std::string(options.text("loss")) +
                     " is not a loss of two classes");
  settings.penalized_intercept = settings.penalized_intercept && (settings.l1 > 0 || settings.l2 > 0);
  if (settings.is_vw() && settings.bits == 0) settings.bits = kNameBits;
  settings.held_out = options.has("valid");
  return settings;
}

}  // namespace rota::linear
