#include "apps/mf/app.h"

#include "core/job/scores.h"

namespace rota::tests {
namespace {

TEST(MfMetrics, ScoresAreMadeOfTermsThatAreThere) {
  for (const mf::Loss loss : {mf::Loss::squared, mf::Loss::logistic, mf::Loss::bpr})
    for (int bits = 0; bits < 4; ++bits) {
      mf::Settings settings;
      settings.loss = loss;
      settings.held_out = (bits & 1) != 0;
      settings.implicit = loss == mf::Loss::bpr || (loss == mf::Loss::squared && (bits & 2) != 0);
      const auto [terms, scores] = mf::Metrics(settings);
      EXPECT_EQ(terms.front().kind, Term::Kind::objective);
      const std::vector<double> sums(terms.size(), 2);
      for (const Score& score : scores) EXPECT_NO_THROW(score_value(score, terms, sums, 8)) << score.name;
      const auto first = std::ranges::find_if(scores, &Score::held_out);
      ASSERT_EQ(first != scores.end(), settings.held_out);
      if (settings.held_out) {
        EXPECT_EQ(first->better, settings.implicit ? Score::Better::larger : Score::Better::smaller);
      }
    }
}

TEST(MfMetrics, PreferencesHaveNoRootMeanSquare) {
  mf::Settings settings;
  settings.implicit = true;
  EXPECT_TRUE(mf::Metrics(settings).scores.empty());
  EXPECT_EQ(mf::Metrics(settings).terms[0].name, "weighted_squared_errors");
}

}  // namespace
}  // namespace rota::tests
