// apps/sgd/commands/trained_model.h -- a committed model: its weights and classes.
#pragma once
#include "apps/linear/commands/model.h"
#include "apps/sgd/settings.h"
#include "rota/model.h"

namespace rota::sgd {

struct TrainedModel : linear::LinearModel {
  Settings settings;
  double centre = 0;  // of numbers: subtracted from labels, and so added to the table's intercept
};

// Throws DataError if a part is missing or damaged.
TrainedModel read_model(const Model& model);

}  // namespace rota::sgd
