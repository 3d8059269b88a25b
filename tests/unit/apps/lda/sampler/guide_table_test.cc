#include "apps/lda/sampler/guide_table.h"

#include "rota/random.h"

namespace rota::lda {
namespace {

// The topic, by a linear search.
std::uint16_t expected(const std::vector<double>& weights, double at) {
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k)
    if (at < (sum += weights[k])) return static_cast<std::uint16_t>(3 * k);
  return static_cast<std::uint16_t>(3 * (weights.size() - 1));
}

TEST(GuideTable, EveryTopicHasItsShare) {
  Random random({1, 2, 3, 4});
  GuideTable table;
  for (int round = 0; round < 60; ++round) {
    std::vector<double> weights(1 + random.below(200));
    // Whole numbers, numbers of very different sizes, and equal ones.
    for (double& weight : weights)
      weight = round % 3 == 0   ? 1.0 + static_cast<double>(random.below(50))
               : round % 3 == 1 ? std::exp(20 * random.uniform() - 10)
                                : 0.1;
    table.clear();
    double sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      table.add(static_cast<std::uint16_t>(3 * k), weights[k]);
      sum += weights[k];
    }
    table.finish();
    EXPECT_EQ(table.total(), sum);
    // The begin of each share, and the last number in it.
    sum = 0;
    for (const double weight : weights) {
      EXPECT_EQ(*table.draw(sum), expected(weights, sum));
      sum += weight;
      EXPECT_EQ(*table.draw(std::nextafter(sum, 0.0)), expected(weights, std::nextafter(sum, 0.0)));
    }
    for (int i = 0; i < 500; ++i) {
      const double at = random.uniform() * sum;
      ASSERT_EQ(*table.draw(at), expected(weights, at));
    }
  }
}

TEST(GuideTable, NumbersBeyondTheTotalAreTheLastTopics) {
  GuideTable table;
  table.add(5, 1);
  table.add(8, 2);
  table.finish();
  EXPECT_EQ(*table.draw(3), 8);
  EXPECT_EQ(*table.draw(3.5), 8);
}

}  // namespace
}  // namespace rota::lda
