#include "apps/mf/scoring/terms.h"

#include "rota/scores.h"

namespace rota::tests {
namespace {

TEST(MfTerms, ScoresAreMadeOfTermsThatAreThere) {
  for (const mf::Loss loss : {mf::Loss::squared, mf::Loss::logistic, mf::Loss::bpr})
    for (int bits = 0; bits < 4; ++bits) {
      mf::Settings settings;
      settings.loss = loss;
      settings.held_out = (bits & 1) != 0;
      settings.implicit = loss == mf::Loss::bpr || (loss == mf::Loss::squared && (bits & 2) != 0);
      const auto terms = mf::terms_of(settings);
      EXPECT_EQ(terms.front().kind, Term::Kind::objective);
      const std::vector<double> sums(terms.size(), 2);
      const auto scores = mf::scores_of(settings);
      for (const Score& score : scores) EXPECT_NO_THROW(score_value(score, terms, sums, 8)) << score.name;
      const auto first = std::ranges::find_if(scores, &Score::held_out);
      ASSERT_EQ(first != scores.end(), settings.held_out);
      if (settings.held_out) {
        EXPECT_EQ(first->better, settings.implicit ? Score::Better::larger : Score::Better::smaller);
      }
    }
}

TEST(MfTerms, PreferencesHaveNoRootMeanSquare) {
  mf::Settings settings;
  settings.implicit = true;
  EXPECT_TRUE(mf::scores_of(settings).empty());
  EXPECT_EQ(mf::terms_of(settings)[0].name, "weighted_squared_errors");
}

}  // namespace
}  // namespace rota::tests
