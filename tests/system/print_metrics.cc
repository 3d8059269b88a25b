// tests/system/print_metrics.cc -- rota/metrics.h over lines "TRUTH PREDICTION": of numbers, or, after the word
// classes, of classes 0 and 1 and a probability of 1.  For metrics_oracle_test.py.
#include <iomanip>
#include <iostream>
#include <string>

#include "rota/metrics.h"

int main(int count, char** words) {
  const bool classes = count > 1 && std::string(words[1]) == "classes";
  std::vector<double> truth, predicted;
  for (double y, p; std::cin >> y >> p;) {
    truth.push_back(y);
    predicted.push_back(p);
  }
  rota::PredictionErrors errors;
  rota::Accuracy accuracy;
  double loss = 0, loss_of_links = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    errors.add(truth[i], predicted[i]);
    if (!classes) continue;
    accuracy.add((truth[i] == 1) == (predicted[i] > 0.5));
    loss += rota::log_loss(truth[i] == 1 ? predicted[i] : 1 - predicted[i]);
    loss_of_links += rota::log_loss_of_link(std::log(predicted[i]) - std::log1p(-predicted[i]), truth[i] == 1);
  }
  const auto rows = static_cast<double>(truth.size());
  std::cout << std::setprecision(17) << "{\"mse\": " << errors.mse() << ", \"rmse\": " << errors.rmse()
            << ", \"mae\": " << errors.mae() << ", \"r2\": " << rota::r2_score(errors.squares(), truth);
  if (classes)
    std::cout << ", \"accuracy\": " << accuracy.share() << ", \"log_loss\": " << loss / rows
              << ", \"auc\": " << rota::area_under_curve(predicted, [&](std::size_t i) { return truth[i] == 1; });
  if (classes && std::isfinite(loss_of_links)) std::cout << ", \"log_loss_of_links\": " << loss_of_links / rows;
  std::cout << "}\n";
}
