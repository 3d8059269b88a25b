#include "apps/lda/held_out/new_documents.h"
#include "rota/seed_mixer.h"
#include "tests/unit/apps/lda/small_model.h"

namespace rota::lda {
namespace {

// ln p(words), by enumeration of all topics.
double exact(const TrainedModel& model, const std::vector<std::uint32_t>& words) {
  std::vector<std::vector<double>> phi(model.vocabulary.size(), std::vector<double>(3));
  for (std::uint32_t w = 0; w < phi.size(); ++w) phi_of_word(model, w, phi[w]);
  const double states = std::pow(3, words.size());
  double sum = 0;
  for (int state = 0; state < states; ++state) {
    double n[3] = {}, p = 1;
    int rest = state;
    for (std::size_t i = 0; i < words.size(); ++i, rest /= 3) {
      const auto k = static_cast<std::size_t>(rest % 3);
      p *= (n[k]++ + model.priors.alphas[k]) / (static_cast<double>(i) + 0.6) * phi[words[i]][k];
    }
    sum += p;
  }
  return std::log(sum);
}

TEST(LeftToRight, IsTheProbabilityOfTheDocument) {
  const TrainedModel model = tests::small_model();
  for (const bool resample : {true, false}) {
    LeftToRight estimator(model, 20'000, resample);
    Random random = random_named({1});
    const NewDocument document = {{0, 2}, {2, 1}, {1, 1}, {2, 1}, {3, 1}};
    // Without resampling, later tokens do not change the topics of earlier ones.
    const double tolerance = resample ? 0.02 : 0.1;
    EXPECT_NEAR(estimator.log_probability(document, random), exact(model, {0, 0, 2, 1, 2, 3}), tolerance) << resample;
  }
}

TEST(LeftToRight, OneTokenNeedsNoParticles) {
  const TrainedModel model = tests::small_model();
  LeftToRight estimator(model, 1, true);
  Random random = random_named({1});
  EXPECT_NEAR(estimator.log_probability({{1, 1}}, random), exact(model, {1}), 1e-6);
  EXPECT_EQ(estimator.log_probability({}, random), 0);
}

TEST(LeftToRight, DocumentsFollowOneAnother) {
  const TrainedModel model = tests::small_model();
  LeftToRight fresh(model, 10, true), used(model, 10, true);
  Random any = random_named({2}), first = random_named({3}), second = random_named({3});
  used.log_probability({{0, 5}, {3, 7}}, any);
  EXPECT_EQ(fresh.log_probability({{1, 4}, {2, 4}}, first), used.log_probability({{1, 4}, {2, 4}}, second));
}

}  // namespace
}  // namespace rota::lda
