#include "apps/mf/sgd/pair_pool.h"

#include "apps/mf/sgd/factor_rows.h"
#include "rota/numerics/seed_mixer.h"

namespace rota::tests {
namespace {

using mf::CellRating;

// Records the kernel's arguments instead of making steps.
std::vector<std::vector<mf::PairStep>> seen;
double listen(const mf::Cell&, std::span<const mf::PairStep> steps) {
  seen.emplace_back(steps.begin(), steps.end());
  return static_cast<double>(steps.size());
}
double move_all(const mf::Cell& cell, std::span<const mf::PairStep> steps) {
  for (const mf::PairStep& one : steps)
    for (const std::uint32_t row : {one.rated, one.other}) cell.visiting.factors[row * 16] += 1;
  return 0;
}

struct Visit {
  std::vector<CellRating> ratings;
  mf::RatedRows rated;
  mf::FactorRows rows;

  Visit(std::vector<CellRating> list, std::uint32_t count)
      : ratings(std::move(list)), rated(ratings, count), rows(count, 16, false) {}
  double run(mf::PairPool& pool, mf::RunPairs kernel, Random& random) {
    mf::Cell cell{};
    cell.ratings = ratings.data();
    cell.count = ratings.size();
    cell.chunks = 1;
    cell.visiting = rows.pointers({}, nullptr);
    return pool.visit(cell, rated, random, kernel);
  }
};

std::vector<CellRating> ratings_of(std::uint32_t residents, std::uint32_t rows, std::uint64_t seed) {
  std::vector<CellRating> out;
  Random random = random_named({seed});
  for (std::uint32_t u = 0; u < residents; ++u)
    for (std::uint32_t i = 0; i < rows; ++i)
      if (random.below(3) == 0) out.push_back({u, i, 1});
  return out;
}

bool has(const std::vector<CellRating>& list, std::uint32_t resident, std::uint32_t row) {
  for (const CellRating& one : list)
    if (one.resident == resident && one.visiting == row) return true;
  return false;
}

TEST(PairPool, ComparesWithTheEpochsSlicesBothWays) {
  Random random = random_named({1});
  mf::PairPool pool;
  pool.begin_epoch();
  Visit first(ratings_of(300, 10, 1), 10), second(ratings_of(300, 30, 2), 30);
  seen.clear();
  EXPECT_EQ(first.run(pool, listen, random), static_cast<double>(first.ratings.size()));
  second.run(pool, listen, random);
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_TRUE(seen[1].empty()) << "there was no other slice";
  const auto rated = [&](std::uint32_t resident, std::uint32_t row) {
    return row < 10 ? has(first.ratings, resident, row) : has(second.ratings, resident, row - 10);
  };
  double to_first = 0;
  for (const auto& steps : seen)
    for (const mf::PairStep& one : steps) {
      EXPECT_TRUE(rated(one.resident, one.rated));
      EXPECT_FALSE(rated(one.resident, one.other));
    }
  for (const mf::PairStep& one : seen[2]) {
    EXPECT_GE(one.rated, 10U);
    if (one.other < 10) to_first += 1;
  }
  EXPECT_NEAR(to_first / static_cast<double>(seen[2].size()), 10.0 / 40, 0.03);
  EXPECT_EQ(seen[3].size(), first.ratings.size() * 30 / 40);
  for (const mf::PairStep& one : seen[3]) EXPECT_TRUE(one.rated < 10 && one.other >= 10);
}

TEST(PairPool, ASliceLeavesWithItsStepsOnly) {
  Random random = random_named({2});
  mf::PairPool pool;
  Visit first(ratings_of(40, 5, 3), 5), second(ratings_of(40, 6, 4), 6);
  first.run(pool, move_all, random);
  float sum = 0, kept = 0;
  for (std::size_t r = 0; r < 5; ++r) kept += first.rows.factors(r)[0];
  EXPECT_EQ(kept, 2 * static_cast<float>(first.ratings.size()));
  second.run(pool, move_all, random);
  for (std::size_t r = 0; r < 5; ++r) sum += first.rows.factors(r)[0];
  EXPECT_EQ(sum, kept) << "it has left";
  pool.begin_epoch();
  seen.clear();
  first.run(pool, listen, random);
  EXPECT_TRUE(seen[1].empty()) << "an epoch does not depend on the one before";
}

TEST(PairPool, AUserWithAllOfASliceHasNoPairThere) {
  Random random = random_named({3});
  mf::PairPool pool;
  Visit all({{0, 0, 1}, {0, 1, 1}}, 2), none({}, 0);
  EXPECT_EQ(all.run(pool, listen, random), 0);
  EXPECT_EQ(none.run(pool, listen, random), 0);
}

TEST(PairPool, TooManyRowsAreNotKept) {
  Random random = random_named({4});
  mf::PairPool pool;
  Visit large({{0, 0, 1}}, static_cast<std::uint32_t>(mf::PairPool::kMostRows)), small({{0, 0, 1}, {1, 1, 1}}, 3);
  seen.clear();
  large.run(pool, listen, random);
  small.run(pool, listen, random);
  for (const mf::PairStep& one : seen[2]) EXPECT_LT(one.other, 3U);
}

const std::vector<mf::CellRating> kCell = {{7, 4, 1}, {2, 0, 1}, {7, 1, 1}, {7, 4, 1}, {2, 1, 1},
                                           {2, 2, 1}, {2, 3, 1}, {2, 4, 1}, {2, 5, 1}, {9, 0, 1}};

TEST(RatedRows, AreThoseOfEachResidentOnce) {
  const mf::RatedRows rated(kCell, 6);
  const auto list = [&](std::uint32_t resident) {
    const auto rows = rated.of(resident);
    return std::vector<std::uint32_t>(rows.begin(), rows.end());
  };
  EXPECT_EQ(list(2), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(list(7), (std::vector<std::uint32_t>{1, 4}));
  EXPECT_EQ(list(9), (std::vector<std::uint32_t>{0}));
  EXPECT_TRUE(list(0).empty() && list(8).empty() && list(10).empty());
}

TEST(RatedRows, TheOthersAreDrawnEquallyOften) {
  const mf::RatedRows rated(kCell, 6);
  Random random = random_named({1});
  for (const auto& [resident, others] : std::map<std::uint32_t, std::vector<std::uint32_t>>{
           {7, {0, 2, 3, 5}}, {9, {1, 2, 3, 4, 5}}, {8, {0, 1, 2, 3, 4, 5}}}) {
    std::map<std::uint32_t, double> drawn;
    constexpr int kDraws = 40000;
    for (int i = 0; i < kDraws; ++i) drawn[*rated.draw_other(resident, random)] += 1;
    ASSERT_EQ(drawn.size(), others.size());
    for (const std::uint32_t row : others)
      EXPECT_NEAR(drawn[row] * static_cast<double>(others.size()) / kDraws, 1, 0.05) << resident << " " << row;
  }
  EXPECT_FALSE(rated.draw_other(2, random)) << "it has rated all";
}

}  // namespace
}  // namespace rota::tests
