#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "apps/mf/commands/commands.h"
#include "apps/mf/commands/trained_model.h"
#include "apps/mf/ratings/rating_reader.h"
#include "rota/error.h"
#include "rota/io/number_text.h"
#include "rota/numerics/quality.h"

namespace rota::mf {
namespace {

void predict(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  for_each_rating(
      call.input, format_of(call.options), RatingReader::Kind::pairs, [&](const RatingReader&, const RatingLine& line) {
        out << io::six_digits(model.prediction(model.users.names.find(line.user), model.items.names.find(line.item)))
            << "\n";
      });
}

void evaluate(const Call& call, std::ostream& out) {
  if (call.options.flag("ranking")) return evaluate_ranking(call, out);
  const TrainedModel model = read_model(*call.model);
  if (model.settings.loss == Loss::bpr)
    throw UsageError("a model of --loss=bpr does not predict ratings: give --ranking");
  std::vector<double> scores;
  std::vector<bool> labels;
  PredictionErrors errors;
  Accuracy accuracy;
  std::uint64_t unknown = 0;
  double losses = 0;
  const auto add = [&](const RatingReader&, const RatingLine& line) {
    const auto user = model.users.names.find(line.user), item = model.items.names.find(line.item);
    if (!user || !item) ++unknown;
    scores.push_back(model.score(user, item));
    labels.push_back(line.value > 0);
    accuracy.add(labels.back() == (scores.back() > 0));
    losses += log_loss_of_link(scores.back(), labels.back());
    errors.add(model.settings.implicit ? 1 : line.value, scores.back());
  };
  for_each_rating(call.input, format_of(call.options), model.settings.kind(), add);
  if (scores.empty()) throw DataError(call.input.front(), 0, "there are no ratings");
  nlohmann::ordered_json json = {{"ratings", scores.size()}};
  if (model.settings.loss == Loss::logistic) {
    json["log_loss"] = losses / static_cast<double>(scores.size());
    json["accuracy"] = accuracy.share();
    json["auc"] = area_under_curve(scores, [&](std::size_t i) { return labels[i]; });
  } else {
    json["rmse"] = errors.rmse();
    json["mae"] = errors.mae();
  }
  json["of_unknown_user_or_item"] = unknown;
  out << json << "\n";
}

}  // namespace

Command predict_command() {
  return {.name = "predict",
          .summary = "prints the predicted rating of every pair of a user and an item",
          .options = format_options(),
          .run = predict,
          .takes_input = true};
}

Command evaluate_command() {
  return {.name = "evaluate",
          .summary = "prints the errors on other ratings, or ranking scores, as JSON",
          .options = evaluate_options(),
          .run = evaluate,
          .takes_input = true};
}

}  // namespace rota::mf
