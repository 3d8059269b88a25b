// apps/linear_models/scores.h -- scores of a linear model's predictions, as members of a JSON object, each after a
// comma.
#pragma once
#include <iosfwd>
#include <span>

#include "apps/linear_models/class_labels.h"

namespace rota::linear {

// "mse", "mae", "r2"; null for a value that is not finite.
void write_number_scores(std::span<const double> links, std::span<const double> truth, std::ostream& out);

// "labels", "log_loss", "accuracy", "auc" of a logistic model of two classes.  REQUIRES: labels of these.
void write_class_scores(std::span<const double> links, std::span<const double> labels, const ClassLabels& classes,
                        std::ostream& out);

}  // namespace rota::linear
