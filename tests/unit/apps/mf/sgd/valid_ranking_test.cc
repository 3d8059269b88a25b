#include "apps/mf/sgd/valid_ranking.h"

#include "rota/seed_mixer.h"
#include "tests/unit/apps/mf/small_model.h"

namespace rota::tests {
namespace {

// As `rota evaluate` ranks the same factors, to the last bit of every user's scores.
TEST(ValidRanking, IsThatOfTheWholeModel) {
  constexpr std::uint32_t kUsers = 70, kItems = 90, kRank = 20;
  Random random = random_named({3});
  mf::FactorRows users(kUsers, kRank, false);
  users.start(random);
  std::vector<mf::FactorRows> slices(3, mf::FactorRows(30, kRank, false));
  mf::TrainedModel model = random_model(kUsers, kItems, kRank);
  model.base = 0;
  std::vector<std::vector<Key>> keys(3);
  for (std::uint32_t i = 0; i < kItems; ++i) keys[i * 7 % 3].push_back(i);
  for (std::uint32_t u = 0; u < kUsers; ++u) {
    model.users.biases[u] = 0;
    std::copy_n(users.factors(u).data(), 32, model.users.factors.begin() + u * 32);
  }
  for (std::size_t b = 0; b < 3; ++b) {
    slices[b].start(random);
    for (std::size_t r = 0; r < 30; ++r) {
      model.items.biases[keys[b][r]] = 0;
      std::copy_n(slices[b].factors(r).data(), 32,
                  model.items.factors.begin() + static_cast<std::ptrdiff_t>(keys[b][r] * 32));
    }
  }
  std::vector<std::vector<std::uint32_t>> seen(kUsers), wanted(kUsers);
  std::vector<std::vector<mf::CellRating>> cells(3);
  mf::ValidRanking ranking;
  std::vector<mf::RankedUser> ranked;
  for (std::uint32_t u = 0; u < kUsers; ++u) {
    for (std::uint32_t i = 0; i < kItems; ++i) {
      const std::uint64_t drawn = random.below(20);
      const std::size_t b = i * 7 % 3;
      if (drawn < 5) seen[u].push_back(i);
      if (drawn < 5) cells[b].push_back({u, i / 3, 1});
      if (drawn == 5 && u % 3 != 0) wanted[u].push_back(i);
    }
    for (const std::uint32_t i : wanted[u]) ranking.add(u, i), ranking.add(u, i);
    if (!wanted[u].empty()) ranked.push_back({{model.users.row(u), seen[u]}, wanted[u]});
  }
  std::vector<mf::RatedRows> rated;
  for (const auto& cell : cells) rated.emplace_back(cell, 30);
  const mf::RankingMetrics whole = mf::ranking_metrics(model.items.rows(), ranked, mf::kValidTop, 1);
  for (int time = 0; time < 2; ++time) {
    for (const std::size_t b : {2U, 0U, 1U}) ranking.visit(keys[b], slices[b], users, rated[b]);
    const std::vector<Term> declared = {
        {"valid_ndcg_sum"}, {"valid_recall_sum"}, {"valid_precision_sum"}, {"valid_users"}};
    std::array<double, 4> sums{};
    ranking.finish({declared, sums});
    ASSERT_EQ(sums[3], static_cast<double>(whole.users));
    EXPECT_EQ(sums[0] / sums[3], whole.top.ndcg);
    EXPECT_EQ(sums[1] / sums[3], whole.top.recall);
    EXPECT_EQ(sums[2] / sums[3], whole.top.precision);
  }
}

}  // namespace
}  // namespace rota::tests
