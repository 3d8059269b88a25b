// apps/sgd/commands/trained_model.h -- a committed model: its weights and classes.
#pragma once
#include <cstdint>
#include <vector>

#include "apps/linear/class_labels.h"
#include "apps/sgd/data.h"
#include "apps/sgd/scoring.h"
#include "apps/sgd/settings.h"
#include "rota/model.h"

namespace rota::sgd {

struct TrainedModel {
  Settings settings;
  linear::ClassLabels classes;  // none for numbers
  std::uint32_t outputs = 1;
  Key keys = 0;                 // the intercept and the features
  std::vector<double> numbers;  // by key, then output

  double weight(Key key, std::uint32_t output) const { return numbers[key * outputs + output]; }
  // Of a row's links: the label that is predicted.  REQUIRES: classes.
  double label(std::span<const double> links) const {
    return classes.label(outputs > 1 ? best_output(links) : links[0] > 0 ? 1 : 0);
  }
};

// Throws DataError if a part is missing or damaged.
TrainedModel read_model(const Model& model);

}  // namespace rota::sgd
