#include "apps/mf/scoring/terms.h"

#include <string>

namespace rota::mf {
namespace {

const char* objective_of(const Settings& settings) {
  switch (settings.loss) {
    case Loss::logistic:
      return "log_losses";
    case Loss::bpr:
      return "bpr_losses";
    default:
      return settings.implicit ? "weighted_squared_errors" : "squared_errors";
  }
}

}  // namespace

std::vector<Term> terms_of(const Settings& settings) {
  static const std::vector<const char*> kErrors = {"valid_squared_errors", "valid_absolute_errors", "valid_ratings",
                                                   "valid_unknown"};
  static const std::vector<const char*> kLogLosses = {"valid_log_losses", "valid_right", "valid_ratings",
                                                      "valid_unknown"};
  static const std::vector<const char*> kRankings = {"valid_ndcg_sum", "valid_recall_sum", "valid_precision_sum",
                                                     "valid_users", "valid_unknown"};
  std::vector<Term> terms = {{objective_of(settings), Term::Kind::objective}};
  if (settings.held_out)
    for (const char* name : settings.implicit ? kRankings : settings.loss == Loss::logistic ? kLogLosses : kErrors)
      terms.push_back({name});
  if (settings.solver != Solver::sgd) terms.push_back({"penalty", Term::Kind::objective});
  return terms;
}

std::vector<Score> scores_of(const Settings& settings) {
  const auto root = Score::Scale::root_mean, mean = Score::Scale::mean;
  const auto smaller = Score::Better::smaller, larger = Score::Better::larger;
  const char* const ratings = "valid_ratings";
  const char* const users = "valid_users";
  std::vector<Score> scores;
  if (settings.implicit) {
    if (settings.loss == Loss::bpr) scores.push_back({"bpr_loss", "bpr_losses", "", mean, smaller, false});
    if (settings.held_out)
      scores.insert(scores.end(), {{"valid_ndcg", "valid_ndcg_sum", users, mean, larger, true},
                                   {"valid_recall", "valid_recall_sum", users, mean, larger, true},
                                   {"valid_precision", "valid_precision_sum", users, mean, larger, true}});
    return scores;
  }
  if (settings.loss == Loss::logistic)
    scores = {{"log_loss", "log_losses", "", mean, smaller, false},
              {"valid_log_loss", "valid_log_losses", ratings, mean, smaller, true},
              {"valid_accuracy", "valid_right", ratings, mean, larger, true}};
  else
    scores = {{"rmse", "squared_errors", "", root, smaller, false},
              {"valid_rmse", "valid_squared_errors", ratings, root, smaller, true},
              {"valid_mae", "valid_absolute_errors", ratings, mean, smaller, true}};
  if (!settings.held_out) scores.resize(1);
  return scores;
}

}  // namespace rota::mf
