// apps/linear_models/scores.h -- scores of a linear model's predictions, as members of a JSON object, each after a
// comma.
#pragma once
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <string>

#include "apps/linear_models/class_labels.h"
#include "rota/io/number_text.h"
#include "rota/numerics/quality.h"

namespace rota::linear {

// JSON has no infinity.
inline std::string json_number(double number) {
  return std::isfinite(number) ? io::exact_text(number) : "null";
}

// "mse", "mae", "r2"; null for a value that is not finite.
inline void write_number_scores(std::span<const double> links, std::span<const double> truth, std::ostream& out) {
  PredictionErrors errors;
  for (std::size_t i = 0; i < truth.size(); ++i) errors.add(truth[i], links[i]);
  out << ", \"mse\": " << json_number(errors.mse()) << ", \"mae\": " << json_number(errors.mae())
      << ", \"r2\": " << json_number(r2_score(errors.squares(), truth));
}

// "labels", "log_loss", "accuracy", "auc" of a logistic model of two classes.  REQUIRES: labels of these.
inline void write_class_scores(std::span<const double> links, std::span<const double> labels,
                               const ClassLabels& classes, std::ostream& out) {
  const auto is_large = [&](std::size_t i) { return labels[i] == classes.label(1); };
  double loss = 0;
  Accuracy accuracy;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    loss += log_loss_of_link(links[i], is_large(i));
    accuracy.add(is_large(i) == (links[i] > 0));
  }
  const auto label = [&](std::size_t k) {
    return classes.words().empty() ? classes.text(k) : nlohmann::json(classes.text(k)).dump();
  };
  out << ", \"labels\": [" << label(0) << ", " << label(1)
      << "], \"log_loss\": " << json_number(loss / static_cast<double>(labels.size()))
      << ", \"accuracy\": " << json_number(accuracy.share())
      << ", \"auc\": " << json_number(area_under_curve(links, is_large));
}

}  // namespace rota::linear
