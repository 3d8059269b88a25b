// apps/linear/scores.h -- how good a linear model's predictions are, as members of a JSON object, each behind a comma.
#pragma once
#include <iosfwd>
#include <span>

#include "apps/linear/two_classes.h"

namespace rota::linear {

// "mse", "mae", "r2".  What is no number is null.
void write_number_scores(std::span<const double> links, std::span<const double> truth, std::ostream& out);

// "labels", "log_loss", "accuracy", "auc" of a logistic model.  REQUIRES labels of these classes.
void write_class_scores(std::span<const double> links, std::span<const double> labels, const TwoClasses& classes,
                        std::ostream& out);

}  // namespace rota::linear
