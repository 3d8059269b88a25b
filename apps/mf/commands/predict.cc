// apps/mf/commands/predict.cc -- predictions of pairs, and their errors, or how high they are ranked.
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

#include "apps/mf/commands/commands.h"
#include "apps/mf/commands/trained_model.h"
#include "rota/error.h"
#include "rota/io/number_text.h"
#include "rota/numerics/quality.h"

namespace rota::mf {
namespace {

struct EvaluateOptions {
  bool ranking = false;
  RankingOptions of_ranking;

  void options(auto& list) {
    list.flag("ranking", ranking,
              "How high the items of each user are ranked, whatever their ratings, among those that it did not rate in "
              "training: precision, recall, NDCG, area under the ROC curve.");
    of_ranking.options(list, "Length of the list for precision, recall and NDCG.",
                       {"--ranking", [](const Options& options) { return options.flag("ranking"); }});
  }
};

void evaluate_ranking(const TrainedModel& model, const Call& call, const RankingOptions& options, std::ostream& out) {
  const ItemLists held_out = items_of_users(model, call.input, options.form);
  const ItemLists seen = seen_items(model, call.model->job(), options);
  if (held_out.lines == 0) throw DataError(call.input.front(), 0, "there are no held-out items");
  std::vector<std::vector<std::uint32_t>> wanted(model.users.size());
  std::vector<RankedUser> users;
  std::uint64_t trained = 0;
  for (std::size_t u = 0; u < wanted.size(); ++u) {
    std::ranges::set_difference(held_out.of_user[u], seen.of_user[u], std::back_inserter(wanted[u]));
    trained += held_out.of_user[u].size() - wanted[u].size();
    if (!wanted[u].empty()) users.push_back({{model.users.row(u), seen.of_user[u]}, wanted[u]});
  }
  const RankingMetrics found = ranking_metrics(model.items.rows(), users, options.top, options.thread_count());
  const auto mean = [](double value, std::uint64_t of) { return of == 0 ? nlohmann::json() : nlohmann::json(value); };
  out << nlohmann::ordered_json{{"users", found.users},
                                {"top", options.top},
                                {"precision", mean(found.top.precision, found.users)},
                                {"recall", mean(found.top.recall, found.users)},
                                {"ndcg", mean(found.top.ndcg, found.users)},
                                {"auc", mean(found.auc, found.auc_users)},
                                {"auc_users", found.auc_users},
                                {"of_unknown_user_or_item", held_out.unknown},
                                {"seen_in_training", trained}}
      << "\n";
}

void predict(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  for_each_rating(call.input, settings_of<io::EntryForm>(call.options), RatingKind::pairs,
                  [&](const io::EntryReader&, const io::Entry& entry, double) {
                    const auto user = model.users.names.find(entry.first), item = model.items.names.find(entry.second);
                    out << io::six_digits(model.prediction(user, item)) << "\n";
                  });
}

void evaluate(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  const auto options = settings_of<EvaluateOptions>(call.options);
  if (options.ranking) return evaluate_ranking(model, call, options.of_ranking, out);
  if (model.settings.loss == Loss::bpr)
    throw UsageError("a model of --loss=bpr does not predict ratings: give --ranking");
  std::vector<double> scores;
  std::vector<bool> labels;
  PredictionErrors errors;
  Accuracy accuracy;
  std::uint64_t unknown = 0;
  double losses = 0;
  const auto add = [&](const io::EntryReader&, const io::Entry& entry, double value) {
    const auto user = model.users.names.find(entry.first), item = model.items.names.find(entry.second);
    if (!user || !item) ++unknown;
    scores.push_back(model.score(user, item));
    labels.push_back(value > 0);
    accuracy.add(labels.back() == (scores.back() > 0));
    losses += log_loss_of_link(scores.back(), labels.back());
    errors.add(model.settings.implicit ? 1 : value, scores.back());
  };
  for_each_rating(call.input, options.of_ranking.form, model.settings.kind(), add);
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
          .options = declared_options<io::EntryForm>(),
          .run = predict,
          .takes_input = true};
}

Command evaluate_command() {
  return {.name = "evaluate",
          .summary = "prints the errors on other ratings, or ranking scores, as JSON",
          .options = declared_options<EvaluateOptions>(),
          .run = evaluate,
          .takes_input = true};
}

}  // namespace rota::mf
