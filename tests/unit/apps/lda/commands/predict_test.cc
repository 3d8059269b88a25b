#include "apps/lda/commands/commands.h"
#include "tests/unit/apps/lda/small_model.h"

namespace rota::lda {
namespace {

std::vector<double> shares_of(const NewDocument& document, std::uint32_t iterations = 1000, double tolerance = 1e-12) {
  return fold_in(tests::small_model(), document, iterations, tolerance);
}

TEST(FoldIn, ADocumentWithoutWordsIsThePrior) {
  const std::vector<double> shares = shares_of({});
  EXPECT_NEAR(shares[0], 0.5, 1e-12);
  EXPECT_NEAR(shares[1], 1.0 / 3, 1e-12);
  EXPECT_NEAR(shares[2], 1.0 / 6, 1e-12);
}

TEST(FoldIn, SharesFollowTheWords) {
  const std::vector<double> cats = shares_of({{0, 20}}), owls = shares_of({{2, 20}});
  EXPECT_GT(cats[0], 0.9);
  EXPECT_GT(owls[1], 0.9);
  EXPECT_NEAR(std::accumulate(cats.begin(), cats.end(), 0.0), 1, 1e-9);
}

TEST(FoldIn, OrderAndRepetitionOfWordsDoNotMatter) {
  EXPECT_EQ(shares_of({{0, 2}, {2, 3}, {1, 1}}), shares_of({{2, 1}, {0, 1}, {1, 1}, {2, 2}, {0, 1}}));
}

TEST(FoldIn, ItStopsAtAFixedPoint) {
  const std::vector<double> shares = shares_of({{0, 2}, {2, 3}, {1, 1}});
  const std::vector<double> longer = shares_of({{0, 2}, {2, 3}, {1, 1}}, 100'000, 0);
  for (std::size_t k = 0; k < shares.size(); ++k) EXPECT_NEAR(shares[k], longer[k], 1e-9);
}

// The exact posterior mean of theta, by enumeration of all topics of a short document.
TEST(FoldIn, IsNearThePosterior) {
  const TrainedModel model = tests::small_model();
  const std::vector<std::uint32_t> words = {0, 1, 2, 2, 1};
  std::vector<std::vector<double>> phi(model.vocabulary.size(), std::vector<double>(3));
  for (std::uint32_t w = 0; w < phi.size(); ++w) phi_of_word(model, w, phi[w]);
  std::vector<double> mean(3);
  double all = 0;
  for (int state = 0; state < 243; ++state) {
    double n[3] = {}, p = 1;
    for (int i = 0, rest = state; i < 5; ++i, rest /= 3)
      p *= (n[rest % 3]++ + model.priors.alphas[static_cast<std::size_t>(rest % 3)]) *
           phi[words[static_cast<std::size_t>(i)]][static_cast<std::size_t>(rest % 3)];
    all += p;
    for (std::size_t k = 0; k < 3; ++k) mean[k] += p * (n[k] + model.priors.alphas[k]) / 5.6;
  }
  const std::vector<double> shares = shares_of({{0, 1}, {1, 2}, {2, 2}});
  // The method ignores the uncertainty of counts, and so is biased to the main topics of a short document.
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(shares[k], mean[k] / all, 0.1) << k;
}

}  // namespace
}  // namespace rota::lda
