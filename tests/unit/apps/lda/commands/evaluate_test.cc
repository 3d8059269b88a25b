#include "apps/lda/commands/commands.h"
#include "rota/numerics/seed_mixer.h"
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
    Random random = random_named({1});
    const NewDocument document = {{0, 2}, {2, 1}, {1, 1}, {2, 1}, {3, 1}};
    // Without resampling, later tokens do not change the topics of earlier ones.
    const double tolerance = resample ? 0.02 : 0.1, expected = exact(model, {0, 0, 2, 1, 2, 3});
    EXPECT_NEAR(left_to_right(model, document, 20'000, resample, random), expected, tolerance) << resample;
  }
}

TEST(LeftToRight, OneTokenNeedsNoParticles) {
  const TrainedModel model = tests::small_model();
  Random random = random_named({1});
  EXPECT_NEAR(left_to_right(model, {{1, 1}}, 1, true, random), exact(model, {1}), 1e-6);
  EXPECT_EQ(left_to_right(model, {}, 1, true, random), 0);
}

}  // namespace
}  // namespace rota::lda
