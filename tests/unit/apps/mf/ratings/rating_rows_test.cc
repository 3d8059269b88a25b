#include "apps/mf/ratings/rating_rows.h"

namespace rota::tests {
namespace {

const std::vector<mf::Rating> kRatings = {{{0, 3}, 1}, {{2, 1}, 2}, {{0, 0}, 3}, {{3, 3}, 4},
                                          {{0, 3}, 5}, {{2, 0}, 0}, {{3, 2}, 6}};

std::string text(const mf::RatingRows& rows) {
  std::string out = std::to_string(rows.first) + ":";
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (const mf::Partner& one : rows.row(i))
      out += " " + std::to_string(one.number) + "=" + std::to_string(static_cast<int>(one.value));
    out += ";";
  }
  return out;
}

TEST(RatingRows, AreThoseOfTheirRangeByPartner) {
  const std::vector<ShardId> hosted = {2, 0, 1};
  const auto users = mf::rating_rows(kRatings, mf::kUserSide, {3, 4, {0, 1, 1, 4}}, hosted, false);
  EXPECT_EQ(text(users[0]), "1:; 0=0 1=2; 2=6 3=4;");
  EXPECT_EQ(text(users[1]), "0: 0=3 3=1 3=5;");
  EXPECT_EQ(text(users[2]), "1:");
  const auto items = mf::rating_rows(kRatings, mf::kItemSide, {1, 4, {0, 4}}, std::vector<ShardId>{0}, false);
  EXPECT_EQ(text(items[0]), "0: 0=3 2=0; 2=2; 3=6; 0=1 0=5 3=4;");
}

TEST(RatingRows, InTurnAreThoseOfEveryThirdUser) {
  const auto users = mf::rating_rows(kRatings, mf::kUserSide, {3, 4, {}}, std::vector<ShardId>{0, 2, 1}, false);
  EXPECT_EQ(text(users[0]), "0: 3=1 0=3 3=5; 3=4 2=6;");
  EXPECT_EQ(users[0].number(1), 3U);
  EXPECT_EQ(text(users[1]), "2: 1=2 0=0;");
  EXPECT_EQ(text(users[2]), "1:;");
}

TEST(RatingRows, OfOnePairAddUp) {
  const auto users = mf::rating_rows(kRatings, mf::kUserSide, {1, 4, {0, 4}}, std::vector<ShardId>{0}, true);
  EXPECT_EQ(text(users[0]), "0: 0=3 3=6;; 0=0 1=2; 2=6 3=4;");
}

TEST(RatingRows, RangesHaveAboutEqualWork) {
  std::vector<std::uint32_t> ratings(100, 5);
  ratings[0] = 505;
  const auto cuts = mf::deal_ranges(ratings, 4).cuts;
  ASSERT_EQ(cuts.size(), 5U);
  EXPECT_EQ(cuts.front(), 0U);
  EXPECT_EQ(cuts[1], 1U) << "one user has more than a quarter";
  EXPECT_EQ(cuts.back(), 100U);
  EXPECT_EQ(mf::deal_ranges({}, 2).cuts, (std::vector<std::uint64_t>{0, 0, 0}));
}

}  // namespace
}  // namespace rota::tests
