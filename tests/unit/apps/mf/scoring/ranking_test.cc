#include "apps/mf/scoring/ranking.h"

#include "rota/seed_mixer.h"
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

TEST(Ranking, DoesNotDependOnThreadsOrProcessor) {
  const Data data = some_data(200, 300, false);
  const RankingMetrics found = mf::ranking_metrics(data.model.items.rows(), data.users(), 10, 1);
  ::setenv("ROTA_MF_KERNEL", "baseline", 1);
  const RankingMetrics other = mf::ranking_metrics(data.model.items.rows(), data.users(), 10, 3);
  ::unsetenv("ROTA_MF_KERNEL");
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

}  // namespace
}  // namespace rota::tests
