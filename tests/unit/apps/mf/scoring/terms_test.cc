#include "apps/mf/scoring/terms.h"

#include <gtest/gtest.h>

namespace rota::tests {
namespace {

TEST(MfTerms, AreWhereTheSolversPutThem) {
  for (const bool held_out : {false, true})
    for (const mf::Solver solver : {mf::Solver::sgd, mf::Solver::als, mf::Solver::ccd}) {
      mf::Settings settings;
      settings.solver = solver;
      settings.held_out = held_out;
      const std::vector<Term> terms = mf::terms_of(settings);
      EXPECT_EQ(terms[mf::kSquaredErrors].name, "squared_errors");
      if (held_out) {
        EXPECT_EQ(terms[mf::kValidUnknown].name, "valid_unknown");
      }
      if (solver == mf::Solver::sgd) {
        EXPECT_EQ(terms.size(), mf::penalty_term(settings));
      } else {
        EXPECT_EQ(terms.at(mf::penalty_term(settings)).name, "penalty");
      }
      const std::vector<Score> scores = mf::scores_of(settings);
      EXPECT_EQ(scores.size(), held_out ? 3U : 1U);
      EXPECT_EQ(scores.back().held_out, held_out);
    }
}

TEST(MfTerms, PreferencesHaveNoRootMeanSquare) {
  mf::Settings settings;
  settings.solver = mf::Solver::als;
  settings.implicit = true;
  EXPECT_TRUE(mf::scores_of(settings).empty());
  EXPECT_EQ(mf::terms_of(settings)[0].name, "weighted_squared_errors");
}

}  // namespace
}  // namespace rota::tests
