#include "apps/mf/sgd/rated_rows.h"

#include "rota/seed_mixer.h"

namespace rota::tests {
namespace {

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
    std::map<std::uint32_t, double> seen;
    constexpr int kDraws = 40000;
    for (int i = 0; i < kDraws; ++i) seen[*rated.draw_other(resident, random)] += 1;
    ASSERT_EQ(seen.size(), others.size());
    for (const std::uint32_t row : others)
      EXPECT_NEAR(seen[row] * static_cast<double>(others.size()) / kDraws, 1, 0.05) << resident << " " << row;
  }
  EXPECT_FALSE(rated.draw_other(2, random)) << "it has rated all";
}

}  // namespace
}  // namespace rota::tests
