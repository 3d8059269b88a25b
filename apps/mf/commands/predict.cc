#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "apps/mf/commands/commands.h"
#include "apps/mf/commands/trained_model.h"
#include "apps/mf/ratings/rating_reader.h"
#include "rota/error.h"
#include "rota/io/number_text.h"
#include "rota/metrics.h"

namespace rota::mf {

void predict(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  for (const std::string& file : call.input) {
    RatingReader reader(file, format_of(call.options), RatingReader::Kind::pairs);
    for (RatingLine line; reader.next(line);)
      out << io::six_digits(model.prediction(model.users.names.find(line.user), model.items.names.find(line.item)))
          << "\n";
  }
}

namespace {

// JSON has no infinity.
std::string json_number(double number) {
  return std::isfinite(number) ? io::exact_text(number) : "null";
}

void evaluate_labels(const TrainedModel& model, const Call& call, std::ostream& out) {
  std::vector<double> scores;
  std::vector<bool> labels;
  Accuracy accuracy;
  std::uint64_t unknown = 0;
  double losses = 0;
  for (const std::string& file : call.input) {
    RatingReader reader(file, format_of(call.options), model.settings.kind());
    for (RatingLine line; reader.next(line);) {
      const auto user = model.users.names.find(line.user), item = model.items.names.find(line.item);
      scores.push_back(model.score(user, item));
      labels.push_back(line.value > 0);
      if (!user || !item) ++unknown;
      accuracy.add(labels.back() == (scores.back() > 0));
      losses += log_loss_of_link(scores.back(), labels.back());
    }
  }
  if (scores.empty()) throw DataError(call.input.front(), 0, "there are no ratings");
  const double auc = area_under_curve(scores, [&](std::size_t i) { return labels[i]; });
  out << "{\"ratings\": " << scores.size()
      << ", \"log_loss\": " << json_number(losses / static_cast<double>(scores.size()))
      << ", \"accuracy\": " << json_number(accuracy.share()) << ", \"auc\": " << json_number(auc)
      << ", \"of_unknown_user_or_item\": " << unknown << "}\n";
}

}  // namespace

void evaluate(const Call& call, std::ostream& out) {
  if (call.options.flag("ranking")) return evaluate_ranking(call, out);
  const TrainedModel model = read_model(*call.model);
  if (model.settings.loss == Loss::bpr)
    throw UsageError("a model of --loss=bpr does not predict ratings: give --ranking");
  if (model.settings.loss == Loss::logistic) return evaluate_labels(model, call, out);
  std::uint64_t ratings = 0, unknown = 0;
  double squares = 0, absolute = 0;
  for (const std::string& file : call.input) {
    RatingReader reader(file, format_of(call.options), model.settings.kind());
    for (RatingLine line; reader.next(line);) {
      const auto user = model.users.names.find(line.user), item = model.items.names.find(line.item);
      const double error = (model.settings.implicit ? 1 : line.value) - model.score(user, item);
      ++ratings;
      if (!user || !item) ++unknown;
      squares += error * error;
      absolute += std::abs(error);
    }
  }
  if (ratings == 0) throw DataError(call.input.front(), 0, "there are no ratings");
  const auto count = static_cast<double>(ratings);
  out << "{\"ratings\": " << ratings << ", \"rmse\": " << json_number(std::sqrt(squares / count))
      << ", \"mae\": " << json_number(absolute / count) << ", \"of_unknown_user_or_item\": " << unknown << "}\n";
}

}  // namespace rota::mf
