#include "apps/mf/scoring/terms.h"

namespace rota::mf {

std::vector<Term> terms_of(const Settings& settings) {
  std::vector<Term> terms = {{settings.implicit ? "weighted_squared_errors" : "squared_errors", Term::Kind::objective}};
  if (settings.held_out)
    for (const char* name : {"valid_squared_errors", "valid_absolute_errors", "valid_ratings", "valid_unknown"})
      terms.push_back({name});
  if (settings.solver != Solver::sgd) terms.push_back({"penalty", Term::Kind::objective});
  return terms;
}

std::vector<Score> scores_of(const Settings& settings) {
  if (settings.implicit) return {};
  std::vector<Score> scores = {{.name = "rmse", .term = "squared_errors", .scale = Score::Scale::root_mean}};
  if (!settings.held_out) return scores;
  scores.push_back({.name = "valid_rmse",
                    .term = "valid_squared_errors",
                    .count = "valid_ratings",
                    .scale = Score::Scale::root_mean,
                    .held_out = true});
  scores.push_back({.name = "valid_mae", .term = "valid_absolute_errors", .count = "valid_ratings", .held_out = true});
  return scores;
}

}  // namespace rota::mf
