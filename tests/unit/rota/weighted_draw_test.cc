#include "rota/numerics/weighted_draw.h"

#include <bit>

#include "rota/random.h"

namespace rota {
namespace {

// Pearson's statistic of the counts of `draws` draws against the weights, over keys that can be drawn.
double chi_square(const std::vector<double>& weights, const std::vector<int>& count, int draws) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] == 0) continue;
    const double expected = draws * weights[k] / total;
    sum += (count[k] - expected) * (count[k] - expected) / expected;
  }
  return sum;
}

TEST(WeightedDraw, DrawsInProportionToTheWeights) {
  for (const std::size_t keys : {1U, 2U, 3U, 7U, 64U, 100U}) {
    WeightedDraw tree(keys);
    std::vector<double> weights(keys);
    for (std::size_t k = 0; k < keys; ++k) weights[k] = k % 5 == 3 ? 0 : 1 + static_cast<double>(k * k % 11);
    for (std::size_t k = 0; k < keys; ++k) tree.set(k, weights[k]);
    Random random({1, 2, 3, keys});
    std::vector<int> count(keys);
    const int draws = 200'000;
    for (int i = 0; i < draws; ++i) ++count[tree.draw(random.uniform())];
    std::size_t freedom = 0;
    for (std::size_t k = 0; k < keys; ++k) {
      EXPECT_EQ(weights[k] == 0, count[k] == 0) << "a weight of zero, and no other, is never drawn";
      if (weights[k] != 0) ++freedom;
    }
    // Mean `freedom`, variance twice that: five standard deviations.
    const double mean = static_cast<double>(freedom);
    EXPECT_LT(chi_square(weights, count, draws), mean + 5 * std::sqrt(2 * mean)) << keys << " keys";
  }
}

TEST(WeightedDraw, RoundingNeverReachesAKeyWithoutWeight) {
  // The last key with a weight is followed by keys without; shares just below 1 round up to the total.
  for (const std::size_t keys : {2U, 5U, 33U, 1000U}) {
    for (std::size_t only = 0; only < keys; only += 1 + keys / 7) {
      WeightedDraw tree(keys);
      tree.set(only, 0.1);
      for (const double u : {0.0, 0.5, 1 - 0x1p-53}) EXPECT_EQ(tree.draw(u), only);
      tree.set(keys / 2, 1e-300);
      for (const double u : {0.0, 0.5, 1 - 0x1p-53}) EXPECT_GT(tree.weight(tree.draw(u)), 0);
    }
  }
}

TEST(WeightedDraw, SumsDoNotDrift) {
  const std::size_t keys = 100;
  WeightedDraw changed(keys), built(keys);
  Random random({4, 3, 2, 1});
  for (int i = 0; i < 100'000; ++i) changed.set(random.below(keys), random.uniform() * (i % 2 == 0 ? 1e12 : 1e-12));
  for (std::size_t k = 0; k < keys; ++k) changed.set(k, 0.1 * static_cast<double>(k));
  built.set_all(std::vector<double>(changed.weights().begin(), changed.weights().end()));
  EXPECT_EQ(changed.total(), built.total());
  for (std::size_t k = 0; k < keys; ++k) changed.set(k, 0);
  EXPECT_EQ(changed.total(), 0);
}

TEST(WeightedDraw, ChangesAndDrawsVisitOneNodeOfEveryLevel) {
  for (const std::size_t keys : {1U, 2U, 1000U, 1U << 20, (1U << 20) + 1}) {
    WeightedDraw tree(keys);
    tree.set_all(std::vector<double>(keys, 1.0));
    Random random({1, 1, 1, keys});
    const auto levels = static_cast<std::uint64_t>(std::bit_width(2 * keys - 1));
    std::uint64_t before = tree.visited();
    for (int i = 0; i < 1000; ++i) {
      tree.set(random.below(keys), random.uniform());
      EXPECT_LE(tree.visited() - before, levels);
      before = tree.visited();
      tree.draw(random.uniform());
      EXPECT_LE(tree.visited() - before, levels);
      before = tree.visited();
    }
  }
}

}  // namespace
}  // namespace rota
