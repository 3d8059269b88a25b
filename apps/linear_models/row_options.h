// apps/linear_models/row_options.h -- the options of an app about rows: how they are read, their weights, and their
// loss.
#pragma once
#include <cstdint>
#include <string>

#include "rota/io/row_reader.h"
#include "rota/types.h"

namespace rota::linear {

enum class Loss { logistic, squared, hinge, squared_hinge, softmax };
// The weight of a row beside its own: 1, or such that all classes have the same sum.
enum class ClassWeights { equal, balanced };

// The response is one of two classes.
inline bool has_two_classes(Loss loss) {
  return loss == Loss::logistic || loss == Loss::hinge || loss == Loss::squared_hinge;
}

// Every worker keeps the table, and every shard data derived from it: more features must share weights (--bits).
inline constexpr std::uint32_t kMostBits = 22;
inline constexpr Key kMostFeatures = Key{1} << kMostBits;

struct RowOptions {
  Loss loss = Loss::logistic;
  bool one_against_rest = false;
  bool intercept = true, penalized_intercept = false;
  ClassWeights class_weights = ClassWeights::equal;
  std::string weights = {};  // file of the rows' weights, or ""
  io::RowForm form = {};
  std::uint32_t bits = 0;                          // features are hashed to 2^bits; 0: they are not
  bool stream = false;                             // rows are read again in every epoch
  Key least_keys = 0;                              // of a table, if a model has more than the data
  bool normalized = true, squared_scales = false;  // of FeatureScale::step
  bool held_out = false;                           // --valid was given

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
    list.flag("intercept", intercept, "Fit an intercept.");
    list.flag("penalize_intercept", penalized_intercept, "Penalise the intercept too, as with LIBLINEAR's -B 1.")
        .needs = {"--intercept", [](const Options& options) { return options.flag("intercept"); }};
    list.choice("class_weights", class_weights, {{"equal", ClassWeights::equal}, {"balanced", ClassWeights::balanced}},
                "balanced: rows count so that the classes' shares are equal.");
    list.path("weights", weights, "File with a weight for every row, one a line.");
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
                 {"vw", "vw"}},
                "The format of the rows; auto: by the file's content and, of text, its name's ending; vw: plain "
                "features of Vowpal Wabbit's, whose names are hashed.");
    form.other_options(list);
    list.flag("stream", stream,
              "Rows are not kept in memory, but read from the files again in every epoch, in their order.");
  }

  bool is_vw() const { return form.format == "vw"; }
  // Linear predictions of a row: for softmax, and for each class against the rest, one for each class.
  std::uint32_t outputs(std::uint64_t classes) const {
    return loss == Loss::softmax || (one_against_rest && classes > 2) ? static_cast<std::uint32_t>(classes) : 1;
  }
};

}  // namespace rota::linear
