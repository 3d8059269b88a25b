#include "apps/mf/ranking.h"

#include "apps/mf/sgd/factor_rows.h"
#include "rota/numerics/seed_mixer.h"
#include "tests/unit/apps/mf/small_model.h"

namespace rota::tests {
namespace {

using mf::RankedUser;
using mf::RankingMetrics;
using Items = std::vector<std::uint32_t>;

struct Data {
  mf::TrainedModel model;
  std::vector<Items> excluded, held_out;

  std::vector<RankedUser> users() const {
    std::vector<RankedUser> out;
    for (std::size_t u = 0; u < held_out.size(); ++u) out.push_back({{model.users.row(u), excluded[u]}, held_out[u]});
    return out;
  }
};

// Factors of few values, so that many scores are equal and exact.
Data some_data(std::size_t users, std::uint32_t items, bool ties) {
  Data data{random_model(users, items, 5), {}, {}};
  Random random = random_named({7, users});
  if (ties) {
    data.model.base = 0;
    for (mf::Side* side : {&data.model.users, &data.model.items}) {
      for (std::size_t i = 0; i < side->size(); ++i) {
        side->biases[i] = static_cast<double>(random.below(2));
        for (std::size_t k = 0; k < 2; ++k) side->factors[i * side->width + k] = static_cast<float>(random.below(2));
        for (std::size_t k = 2; k < 5; ++k) side->factors[i * side->width + k] = 0;
      }
    }
  }
  for (std::size_t u = 0; u < users; ++u) {
    data.excluded.emplace_back();
    data.held_out.emplace_back();
    for (std::uint32_t i = 0; i < items; ++i) {
      const std::uint64_t drawn = random.below(8);
      if (drawn < 2) data.excluded[u].push_back(i);
      if (drawn == 2 || (i + 1 == items && data.held_out[u].empty() && drawn > 1)) data.held_out[u].push_back(i);
    }
    if (data.held_out[u].empty()) {
      data.held_out[u] = {0};
      std::erase(data.excluded[u], 0U);
    }
  }
  return data;
}

// Every pair of items compared, every list sorted as a whole.
RankingMetrics by_definition(const Data& data, std::size_t top) {
  RankingMetrics sum;
  for (std::uint32_t u = 0; u < data.held_out.size(); ++u) {
    const Items& held = data.held_out[u];
    const auto is_held = [&](std::uint32_t i) { return std::binary_search(held.begin(), held.end(), i); };
    Items list;
    for (std::uint32_t i = 0; i < data.model.items.size(); ++i)
      if (!std::binary_search(data.excluded[u].begin(), data.excluded[u].end(), i)) list.push_back(i);
    std::stable_sort(list.begin(), list.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return data.model.score(u, a) > data.model.score(u, b); });
    double hits = 0, gain = 0, best = 0;
    for (std::size_t place = 0; place < std::min(top, list.size()); ++place) {
      const double discount = std::log(2.0) / std::log(static_cast<double>(place + 2));
      if (is_held(list[place])) hits += 1, gain += discount;
      if (place < held.size()) best += discount;
    }
    sum.top.precision += hits / static_cast<double>(top);
    sum.top.recall += hits / static_cast<double>(held.size());
    sum.top.ndcg += gain / best;
    ++sum.users;
    double won = 0, pairs = 0;
    for (const std::uint32_t i : held)
      for (const std::uint32_t j : list)
        if (!is_held(j)) {
          const double a = data.model.score(u, i), b = data.model.score(u, j);
          won += a > b ? 1 : a == b ? 0.5 : 0;
          pairs += 1;
        }
    if (pairs > 0) {
      sum.auc += won / pairs;
      ++sum.auc_users;
    }
  }
  const auto users = static_cast<double>(sum.users);
  sum.top = {sum.top.precision / users, sum.top.recall / users, sum.top.ndcg / users};
  if (sum.auc_users > 0) sum.auc /= static_cast<double>(sum.auc_users);
  return sum;
}

void expect_equal(const RankingMetrics& found, const RankingMetrics& wanted) {
  EXPECT_EQ(found.users, wanted.users);
  EXPECT_EQ(found.auc_users, wanted.auc_users);
  EXPECT_NEAR(found.top.precision, wanted.top.precision, 1e-12);
  EXPECT_NEAR(found.top.recall, wanted.top.recall, 1e-12);
  EXPECT_NEAR(found.top.ndcg, wanted.top.ndcg, 1e-12);
  EXPECT_NEAR(found.auc, wanted.auc, 1e-12);
}

TEST(Ranking, IsThatOfListsSortedAsAWhole) {
  for (const bool ties : {false, true})
    for (const std::uint32_t items : {3U, 40U, 290U})
      for (const std::size_t top : {1U, 10U, 30U, 1000U}) {
        SCOPED_TRACE(testing::Message() << ties << " " << items << " top " << top);
        const Data data = some_data(71, items, ties);
        expect_equal(mf::ranking_metrics(data.model.items.rows(), data.users(), top, 2), by_definition(data, top));
      }
}

TEST(Ranking, OfEqualScoresTheFirstItemComesFirst) {
  Data data{random_model(2, 6, 3), {{}, {0}}, {{2}, {2, 5}}};
  for (float& f : data.model.items.factors) f = 0;
  for (double& b : data.model.items.biases) b = 1;
  const RankingMetrics found = mf::ranking_metrics(data.model.items.rows(), data.users(), 3, 1);
  EXPECT_DOUBLE_EQ(found.top.recall, (1.0 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(found.top.ndcg, (0.5 + (1 / std::log2(3.0)) / (1 + 1 / std::log2(3.0))) / 2);
  EXPECT_DOUBLE_EQ(found.auc, 0.5);
}

TEST(Ranking, WhereAllItemsAreHeldOutThereIsNoCurve) {
  const Data data{random_model(1, 3, 3), {{1}}, {{0, 2}}};
  const RankingMetrics found = mf::ranking_metrics(data.model.items.rows(), data.users(), 2, 1);
  EXPECT_EQ(found.users, 1U);
  EXPECT_EQ(found.auc_users, 0U);
  EXPECT_DOUBLE_EQ(found.top.ndcg, 1);
  EXPECT_EQ(mf::ranking_metrics(data.model.items.rows(), {}, 2, 1).users, 0U);
}

TEST(Ranking, DoesNotDependOnThreads) {
  const Data data = some_data(200, 300, false);
  const RankingMetrics found = mf::ranking_metrics(data.model.items.rows(), data.users(), 10, 1);
  const RankingMetrics other = mf::ranking_metrics(data.model.items.rows(), data.users(), 10, 3);
  EXPECT_EQ(found.top.ndcg, other.top.ndcg);
  EXPECT_EQ(found.top.recall, other.top.recall);
  EXPECT_EQ(found.auc, other.auc);
}

TEST(Ranking, TheFirstDiscountsAreThoseOfTheFormula) {
  std::vector<mf::Recommendation> best;
  for (std::uint32_t place = 0; place < 30; ++place) {
    best.push_back({place, 0});
    EXPECT_DOUBLE_EQ(mf::top_scores(best, std::vector{place}, 100).ndcg, 1 / std::log2(static_cast<double>(place + 2)));
  }
}

std::vector<mf::Asker> askers_of(const mf::TrainedModel& model,
                                 const std::vector<std::vector<std::uint32_t>>& excluded) {
  std::vector<mf::Asker> askers;
  for (std::size_t u = 0; u < model.users.size(); ++u) askers.push_back({model.users.row(u), excluded[u]});
  return askers;
}

TEST(ScoreRows, AreTheProductsOfPlainLoops) {
  Random random = random_named({4});
  for (const std::size_t width : {16U, 80U}) {
    std::vector<float> users(7 * width), items(37 * width), products(7 * 48);
    for (auto* const side : {&users, &items})
      for (float& one : *side) one = random.uniform_float() - 0.3F;
    mf::score_rows(users, items, width, products.data(), 48);
    for (std::size_t u = 0; u < 7; ++u)
      for (std::size_t i = 0; i < 37; ++i) {
        float sum = 0;
        for (std::size_t k = 0; k < width; ++k) sum += users[u * width + k] * items[i * width + k];
        ASSERT_EQ(products[u * 48 + i], sum);
      }
  }
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

TEST(TopItems, DoNotDependOnThreads) {
  const mf::TrainedModel model = random_model(200, 300, 33);
  const std::vector<std::vector<std::uint32_t>> none(200);
  const auto askers = askers_of(model, none);
  const auto best = mf::top_items(model.items.rows(), askers, 300, 1);
  const auto others = mf::top_items(model.items.rows(), askers, 300, 3);
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

// As `rota evaluate` ranks the same factors, to the last bit of every user's scores.
TEST(ValidRanking, IsThatOfTheWholeModel) {
  constexpr std::uint32_t kUsers = 70, kItems = 90, kRank = 20;
  Random random = random_named({3});
  mf::FactorRows users(kUsers, kRank, false);
  users.start(random, mf::Loss::squared);
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
    slices[b].start(random, mf::Loss::squared);
    for (std::size_t r = 0; r < 30; ++r) {
      model.items.biases[keys[b][r]] = 0;
      std::copy_n(slices[b].factors(r).data(), 32,
                  model.items.factors.begin() + static_cast<std::ptrdiff_t>(keys[b][r] * 32));
    }
  }
  std::vector<std::vector<std::uint32_t>> seen(kUsers), wanted(kUsers);
  std::vector<std::vector<Items>> rated(3, std::vector<Items>(kUsers));
  mf::ValidRanking ranking;
  std::vector<mf::RankedUser> ranked;
  for (std::uint32_t u = 0; u < kUsers; ++u) {
    for (std::uint32_t i = 0; i < kItems; ++i) {
      const std::uint64_t drawn = random.below(20);
      const std::size_t b = i * 7 % 3;
      if (drawn < 5) seen[u].push_back(i);
      if (drawn < 5) rated[b][u].push_back(i / 3);
      if (drawn == 5 && u % 3 != 0) wanted[u].push_back(i);
    }
    for (const std::uint32_t i : wanted[u]) ranking.add(u, i), ranking.add(u, i);
    if (!wanted[u].empty()) ranked.push_back({{model.users.row(u), seen[u]}, wanted[u]});
  }
  const mf::RankingMetrics whole = mf::ranking_metrics(model.items.rows(), ranked, mf::ValidRanking::kTop, 1);
  for (int time = 0; time < 2; ++time) {
    for (const std::size_t b : {2U, 0U, 1U})
      ranking.visit(
          {slices[b].factors(0).data(), 32, std::vector<float>(30)},
          [&](std::uint32_t u) {
            return mf::Asker{{users.factors(u).data(), 32}, rated[b][u]};
          },
          [&](std::size_t i) { return keys[b][i]; });
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
