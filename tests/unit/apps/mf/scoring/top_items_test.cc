#include "apps/mf/scoring/top_items.h"

#include "tests/unit/apps/mf/small_model.h"

namespace rota::tests {
namespace {

using mf::Asker;
using mf::Recommendation;

std::vector<Asker> askers_of(const mf::TrainedModel& model, const std::vector<std::vector<std::uint32_t>>& excluded) {
  std::vector<Asker> askers;
  for (std::size_t u = 0; u < model.users.size(); ++u) askers.push_back({model.users.row(u), excluded[u]});
  return askers;
}

TEST(TopItems, AreThoseOfTheHighestScoresAmongTheOthers) {
  const mf::TrainedModel model = random_model(71, 613, 20);
  std::vector<std::vector<std::uint32_t>> excluded(71);
  for (std::uint32_t u = 0; u < 71; ++u)
    for (std::uint32_t i = u % 5; i < 613; i += 5 + u) excluded[u].push_back(i);
  const auto best = mf::top_items(model.items.rows(), askers_of(model, excluded), 7, 1);
  ASSERT_EQ(best.size(), 71U);
  for (std::uint32_t u = 0; u < 71; ++u) {
    std::vector<std::pair<double, std::uint32_t>> order;
    for (std::uint32_t i = 0; i < 613; ++i)
      if (!std::binary_search(excluded[u].begin(), excluded[u].end(), i)) order.emplace_back(-model.score(u, i), i);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(best[u].size(), 7U);
    for (std::size_t t = 0; t < 7; ++t) {
      EXPECT_EQ(best[u][t].item, order[t].second) << u << " " << t;
      EXPECT_NEAR(static_cast<double>(best[u][t].score) + model.base + model.users.biases[u], -order[t].first, 1e-5);
    }
  }
}

TEST(TopItems, DoNotDependOnThreadsOrProcessor) {
  const mf::TrainedModel model = random_model(200, 300, 33);
  const std::vector<std::vector<std::uint32_t>> none(200);
  const auto askers = askers_of(model, none);
  const auto best = mf::top_items(model.items.rows(), askers, 300, 1);
  ::setenv("ROTA_MF_KERNEL", "baseline", 1);
  const auto others = mf::top_items(model.items.rows(), askers, 300, 3);
  ::unsetenv("ROTA_MF_KERNEL");
  for (std::size_t u = 0; u < 200; ++u) {
    ASSERT_EQ(best[u].size(), 300U);
    for (std::size_t t = 0; t < 300; ++t) {
      ASSERT_EQ(best[u][t].item, others[u][t].item);
      ASSERT_EQ(best[u][t].score, others[u][t].score);
    }
  }
}

TEST(TopItems, MayBeFewerThanAsked) {
  const mf::TrainedModel model = random_model(1, 3, 2);
  EXPECT_EQ(mf::top_items(model.items.rows(), askers_of(model, {{1}}), 10, 2)[0].size(), 2U);
}

}  // namespace
}  // namespace rota::tests
