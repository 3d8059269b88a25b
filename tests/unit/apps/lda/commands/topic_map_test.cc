#include "apps/lda/commands/topic_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/apps/lda/small_model.h"

namespace rota::lda {
namespace {

double squared_distance(const MapPoint& a, const MapPoint& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

double squared_hellinger(const TrainedModel& model, std::uint32_t j, std::uint32_t k) {
  std::vector<double> phi(model.totals.size());
  double sum = 0;
  for (std::uint32_t w = 0; w < model.words.size(); ++w) {
    phi_of_word(model, w, phi);
    sum += std::pow(std::sqrt(phi[j]) - std::sqrt(phi[k]), 2) / 2;
  }
  return sum;
}

// Three points are in a plane.
TEST(TopicMap, OfThreeTopicsHasTheirHellingerDistances) {
  const TrainedModel model = tests::small_model();
  const auto points = topic_map(model);
  ASSERT_EQ(points.size(), 3U);
  for (std::uint32_t j = 0; j < 3; ++j)
    for (std::uint32_t k = 0; k < j; ++k)
      EXPECT_NEAR(squared_distance(points[j], points[k]), squared_hellinger(model, j, k), 1e-12) << j << " " << k;
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (const MapPoint& p : points) x += p.x, y += p.y, xx += p.x * p.x, yy += p.y * p.y, xy += p.x * p.y;
  EXPECT_NEAR(x, 0, 1e-12);
  EXPECT_NEAR(y, 0, 1e-12);
  EXPECT_NEAR(xy, 0, 1e-12);
  EXPECT_GT(xx, yy);
}

TEST(TopicMap, OfFewTopicsHasPointsToo) {
  TrainedModel model = tests::small_model();
  model.words = {{{6, 0}}, {{4, 0}}, {}, {}};
  model.totals = {10};
  EXPECT_EQ(topic_map(model).at(0).x, 0);
  model.words = {{{6, 0}}, {{4, 0}, {5, 1}}, {}, {}};
  model.totals = {10, 5};
  const auto two = topic_map(model);
  EXPECT_NEAR(std::pow(two[0].x - two[1].x, 2), squared_hellinger(model, 0, 1), 1e-12);
  EXPECT_EQ(two[0].y, 0);
}

// Equal distances are equal eigenvalues, which one start alone would not find.
TEST(TopicMap, OfTopicsThatAreAllEquallyFarApartIsATriangle) {
  TrainedModel model = tests::small_model();
  model.words = {{{9, 0}}, {{9, 1}}, {{9, 2}}, {}};
  model.totals = {9, 9, 9};
  const auto points = topic_map(model);
  for (const auto& [j, k] : {std::pair{0, 1}, {0, 2}, {1, 2}})
    EXPECT_NEAR(squared_distance(points[j], points[k]), squared_hellinger(model, j, k), 1e-12);
}

TEST(TopicMap, PutsTopicsWithoutTokensIntoOnePlace) {
  TrainedModel model = tests::small_model();
  model.totals.resize(300);
  const auto points = topic_map(model);
  for (std::size_t k = 3; k < points.size(); ++k) EXPECT_NEAR(squared_distance(points[k], points[2]), 0, 1e-12);
  EXPECT_GT(squared_distance(points[0], points[1]), 0.1);
}

}  // namespace
}  // namespace rota::lda
