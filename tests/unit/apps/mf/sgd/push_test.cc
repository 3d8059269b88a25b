#include "apps/mf/sgd/push.h"

#include "rota/numerics/seed_mixer.h"

namespace rota::tests {
namespace {

using mf::CellRating;

std::vector<std::tuple<std::uint32_t, std::uint32_t, float>> tuples(const std::vector<CellRating>& ratings) {
  std::vector<std::tuple<std::uint32_t, std::uint32_t, float>> out;
  for (const CellRating& one : ratings) out.emplace_back(one.resident, one.visiting, one.value);
  return out;
}

TEST(CellOrder, HalvesThatAreSortedByResidentsTakeTurns) {
  std::vector<CellRating> cell = {{3, 0, 1}, {0, 1, 2}, {1, 0, 3}, {0, 0, 4}, {2, 2, 5}};
  mf::order_cell(cell, 64);
  // Sorted: 0.0 0.1 1.0 | 2.2 3.0
  EXPECT_EQ(tuples(cell), tuples({{0, 0, 4}, {2, 2, 5}, {0, 1, 2}, {3, 0, 1}, {1, 0, 3}}));
}

TEST(CellOrder, RowsOfATileComeBeforeThoseOfTheNext) {
  std::vector<CellRating> cell = {{0, 2, 1}, {0, 0, 2}, {1, 3, 3}, {1, 1, 4}};
  mf::order_cell(cell, std::size_t{1} << 17);  // two rows a tile
  EXPECT_EQ(tuples(cell), tuples({{0, 0, 2}, {1, 1, 4}, {0, 2, 1}, {1, 3, 3}}));
}

TEST(CellOrder, KeepsEveryRatingAndThoseOfOnePairInTheirOrder) {
  Random random = random_from(5);
  std::vector<CellRating> cell;
  for (int i = 0; i < 1001; ++i)
    cell.push_back({static_cast<std::uint32_t>(random.below(9)), static_cast<std::uint32_t>(random.below(9)),
                    static_cast<float>(i)});
  std::vector<CellRating> ordered = cell;
  mf::order_cell(ordered, 128);
  auto before = tuples(cell), after = tuples(ordered);
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  EXPECT_EQ(before, after);
  std::vector<CellRating> none;
  mf::order_cell(none, 128);
}

TEST(Sides, TheFewerMoveUnlessTheyAreTooFewOrAnOptionDecides) {
  using mf::Rotates;
  EXPECT_EQ(mf::residing_side(3, 2, Rotates::automatic, 0), mf::kUserSide);
  EXPECT_EQ(mf::residing_side(3, 2, Rotates::automatic, 1), mf::kItemSide);
  EXPECT_EQ(mf::residing_side(3, 2, Rotates::items, 1), mf::kUserSide);
  EXPECT_EQ(mf::residing_side(3, 2, Rotates::users, 4), mf::kItemSide);
}

}  // namespace
}  // namespace rota::tests
