#include "apps/mf/scoring/terms.h"

#include "rota/scores.h"

namespace rota::tests {
namespace {

struct Case {
  mf::Solver solver;
  mf::Loss loss;
  bool implicit;
};
constexpr Case kCases[] = {{mf::Solver::sgd, mf::Loss::squared, false}, {mf::Solver::sgd, mf::Loss::logistic, false},
                           {mf::Solver::sgd, mf::Loss::bpr, true},      {mf::Solver::als, mf::Loss::squared, false},
                           {mf::Solver::als, mf::Loss::squared, true},  {mf::Solver::ccd, mf::Loss::squared, false}};

mf::Settings settings_of(const Case& one, bool held_out) {
  mf::Settings settings;
  settings.solver = one.solver;
  settings.loss = one.loss;
  settings.implicit = one.implicit;
  settings.held_out = held_out;
  return settings;
}

TEST(MfTerms, AreWhereTheSolversPutThem) {
  for (const Case& one : kCases)
    for (const bool held_out : {false, true}) {
      const mf::Settings settings = settings_of(one, held_out);
      const std::vector<Term> terms = mf::terms_of(settings);
      EXPECT_EQ(terms[mf::kObjective].kind, Term::Kind::objective);
      if (held_out && one.implicit) {
        EXPECT_EQ(terms[mf::kValidRankings].name, "valid_ndcg_sum");
        EXPECT_EQ(terms[mf::kValidUnknownPairs].name, "valid_unknown");
      } else if (held_out) {
        EXPECT_EQ(terms[mf::kValidRatings].name, "valid_ratings");
        EXPECT_EQ(terms[mf::kValidUnknown].name, "valid_unknown");
      }
      if (one.solver == mf::Solver::sgd) {
        EXPECT_EQ(terms.size(), mf::penalty_term(settings));
      } else {
        EXPECT_EQ(terms.at(mf::penalty_term(settings)).name, "penalty");
        EXPECT_EQ(terms.size(), mf::penalty_term(settings) + 1);
      }
    }
}

TEST(MfTerms, ScoresAreMadeOfTermsThatAreThere) {
  for (const Case& one : kCases)
    for (const bool held_out : {false, true}) {
      const mf::Settings settings = settings_of(one, held_out);
      const auto terms = mf::terms_of(settings);
      std::vector<double> sums(terms.size(), 2);
      const auto scores = mf::scores_of(settings);
      for (const Score& score : scores) EXPECT_NO_THROW(score_value(score, terms, sums, 8)) << score.name;
      const auto first = std::find_if(scores.begin(), scores.end(), [](const Score& score) { return score.held_out; });
      ASSERT_EQ(first != scores.end(), held_out);
      if (held_out) {
        EXPECT_EQ(first->better, one.implicit ? Score::Better::larger : Score::Better::smaller);
      }
    }
}

TEST(MfTerms, PreferencesHaveNoRootMeanSquare) {
  const mf::Settings settings = settings_of({mf::Solver::als, mf::Loss::squared, true}, false);
  EXPECT_TRUE(mf::scores_of(settings).empty());
  EXPECT_EQ(mf::terms_of(settings)[0].name, "weighted_squared_errors");
}

}  // namespace
}  // namespace rota::tests
