// apps/linear/row_options.h -- the options of an app about rows: how they are read, their weights, and their loss.
#pragma once
#include <cstdint>
#include <string>

#include "apps/linear/row_files.h"
#include "rota/types.h"

namespace rota::linear {

enum class Loss { logistic, squared, hinge, squared_hinge, softmax };
// The weight of a row beside its own: 1, or such that all classes have the same sum.
enum class ClassWeights { equal, balanced };

// The response is one of two classes.
inline bool has_two_classes(Loss loss) {
  return loss == Loss::logistic || loss == Loss::hinge || loss == Loss::squared_hinge;
}

struct RowOptions {
  Loss loss = Loss::logistic;
  bool one_against_rest = false;
  bool intercept = true, penalized_intercept = false;
  ClassWeights class_weights = ClassWeights::equal;
  std::string weights;  // file of the rows' weights, or ""
  RowFormat format = RowFormat::libsvm;
  std::uint64_t index_from = 1;                    // of LIBSVM text
  std::uint32_t bits = 0;                          // features are hashed to 2^bits; 0: they are not
  Key least_keys = 0;                              // of a table, if a model has more than the data
  bool normalized = true, squared_scales = false;  // of FeatureScale::step
  bool stream = false;                             // rows are read again in every epoch
  bool held_out = false;                           // --valid was given

  // Linear predictions of a row: for softmax, and for each class against the rest, one for each class.
  std::uint32_t outputs(std::uint64_t classes) const {
    return loss == Loss::softmax || (one_against_rest && classes > 2) ? static_cast<std::uint32_t>(classes) : 1;
  }
};

}  // namespace rota::linear
