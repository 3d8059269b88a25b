#include "apps/mf/scoring/terms.h"

namespace rota::mf {

const char* objective_of(const Settings& settings) {
  if (settings.loss == Loss::logistic) return "log_losses";
  if (settings.loss == Loss::bpr) return "bpr_losses";
  return settings.implicit ? "weighted_squared_errors" : "squared_errors";
}

std::vector<Term> terms_of(const Settings& settings) {
  static const std::vector<Term> kErrors = {
      {"valid_squared_errors"}, {"valid_absolute_errors"}, {"valid_ratings"}, {"valid_unknown"}};
  static const std::vector<Term> kLogLosses = {
      {"valid_log_losses"}, {"valid_right"}, {"valid_ratings"}, {"valid_unknown"}};
  static const std::vector<Term> kRankings = {
      {"valid_ndcg_sum"}, {"valid_recall_sum"}, {"valid_precision_sum"}, {"valid_users"}, {"valid_unknown"}};
  std::vector<Term> terms = {{objective_of(settings), Term::Kind::objective}};
  const auto& more = settings.implicit ? kRankings : settings.loss == Loss::logistic ? kLogLosses : kErrors;
  if (settings.held_out) terms.insert(terms.end(), more.begin(), more.end());
  return terms;
}

std::vector<Score> scores_of(const Settings& settings) {
  const auto root = Score::Scale::root_mean, mean = Score::Scale::mean;
  const auto smaller = Score::Better::smaller, larger = Score::Better::larger;
  std::vector<Score> scores;
  if (settings.loss == Loss::bpr) scores = {{"bpr_loss", "bpr_losses", "", mean, smaller, false}};
  if (settings.loss == Loss::logistic) scores = {{"log_loss", "log_losses", "", mean, smaller, false}};
  if (settings.kind() == RatingKind::ratings) scores = {{"rmse", "squared_errors", "", root, smaller, false}};
  if (!settings.held_out) return scores;
  const auto add = [&](const char* name, const char* term, Score::Scale scale, Score::Better better) {
    scores.push_back({name, term, settings.implicit ? "valid_users" : "valid_ratings", scale, better, true});
  };
  if (settings.implicit) {
    add("valid_ndcg", "valid_ndcg_sum", mean, larger);
    add("valid_recall", "valid_recall_sum", mean, larger);
    add("valid_precision", "valid_precision_sum", mean, larger);
  } else if (settings.loss == Loss::logistic) {
    add("valid_log_loss", "valid_log_losses", mean, smaller);
    add("valid_accuracy", "valid_right", mean, larger);
  } else {
    add("valid_rmse", "valid_squared_errors", root, smaller);
    add("valid_mae", "valid_absolute_errors", mean, smaller);
  }
  return scores;
}

}  // namespace rota::mf
