#include "apps/mf/ratings.h"

#include "rota/error.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::tests {
namespace {

using mf::RatingKind;

class Ratings : public WithFiles {
 protected:
  // "user|item|value" of every rating, or the error.
  std::string lines(const std::string& text, RatingKind kind) {
    std::string out;
    try {
      mf::for_each_rating(
          {files.write("ratings", text)}, {}, kind, [&](const io::EntryReader&, const io::Entry& entry, double value) {
            out += std::string(entry.first) + "|" + std::string(entry.second) + "|" + std::to_string(value) + " ";
          });
    } catch (const DataError& wrong) {
      const std::string what = wrong.what();
      return what.substr(what.find("ratings:"));
    }
    return out;
  }

  static mf::AllRatings read(const std::vector<std::string>& input, const std::vector<std::string>& valid = {}) {
    return mf::read_ratings(input, valid, {}, RatingKind::ratings);
  }
};

TEST_F(Ratings, MayBeMissingWhereTheyAreCountsOrNotWanted) {
  EXPECT_EQ(lines("a b\nc d x\n", RatingKind::pairs), "a|b|0.000000 c|d|0.000000 ");
  EXPECT_EQ(lines("a b\nc d 2.5\n", RatingKind::counts), "a|b|1.000000 c|d|2.500000 ");
  EXPECT_EQ(lines("a,b,\nc,d,0\n", RatingKind::counts), "a|b|1.000000 ");
  EXPECT_EQ(lines("a b 1\na b\n", RatingKind::ratings),
            "ratings:2: expected a user, an item and a rating, found 'a b'");
}

TEST_F(Ratings, LabelsAreOneOrNot) {
  EXPECT_EQ(lines("a b 1\nc d 0\ne f -1 9\n", RatingKind::labels), "a|b|1.000000 c|d|0.000000 e|f|0.000000 ");
  EXPECT_EQ(lines("a b 1\na b 0.5\n", RatingKind::labels), "ratings:2: expected a label, 1 and 0 or -1, found '0.5'");
}

TEST_F(Ratings, AreNumbersOfAUsualSize) {
  EXPECT_EQ(lines("a b 1\na b -2\n", RatingKind::counts), "ratings:2: an implicit rating must not be negative: '-2'");
  for (const char* beyond : {"nan", "1e16", "1e39", "-1e39", "1e-46", "-1e-31", "inf", "x"})
    EXPECT_TRUE(
        lines(std::string("a b 1\na b ") + beyond, RatingKind::ratings).starts_with("ratings:2: expected a rat"))
        << beyond;
  EXPECT_EQ(lines("a b 0.0\na b 1e15\n", RatingKind::ratings), "a|b|0.000000 a|b|1000000000000000.000000 ");
  EXPECT_TRUE(lines("a b 1e-30\n", RatingKind::ratings).starts_with("a|b|0"));
}

TEST_F(Ratings, NumbersGoByFirstAppearanceOverAllFiles) {
  const mf::AllRatings data = read({files.write("1", "zoe x 1\nada x 2\n"), files.write("2", "ada,y,3\nzoe,x,4\n")});
  EXPECT_EQ(data.common.names[0][0], "zoe");
  EXPECT_EQ(data.common.names[0][1], "ada");
  EXPECT_EQ(data.common.names[1].size(), 2U);
  ASSERT_EQ(data.trained.size(), 4U);  // the repeated pair too
  EXPECT_EQ(data.trained[2].of[0], 1U);
  EXPECT_EQ(data.trained[2].of[1], 1U);
  EXPECT_EQ(data.trained[3].value, 4);
  EXPECT_DOUBLE_EQ(data.common.mean, 2.5);
  EXPECT_DOUBLE_EQ(data.common.deviation * data.common.deviation, 1.25);
}

TEST_F(Ratings, EqualRatingsAreTheirOwnUnit) {
  EXPECT_EQ(read({files.write("1", "a b 0.1\na c 0.1\nb b 0.1\n")}).common.deviation, 0.1);
  EXPECT_EQ(read({files.write("1", "a b 0\na c 0\n")}).common.deviation, 1);
}

TEST_F(Ratings, RatingsFarFromZeroKeepWhatTheyDifferIn) {
  const std::string file = files.write("1", "a b 1000000001\na c 1000000002\nb b 1000000004.5\n");
  const mf::AllRatings data = read({file});
  EXPECT_EQ(data.common.origin, 1000000001);
  EXPECT_EQ(data.trained[1].value, 1);
  EXPECT_EQ(data.trained[2].value, 3.5F);
  EXPECT_DOUBLE_EQ(data.common.mean, 1000000002.5);
  EXPECT_NEAR(data.common.deviation, std::sqrt(6.5 / 3), 1e-9);
  EXPECT_EQ(read({file}, {file}).held_out[2].value, 3.5F);
  const mf::AllRatings mixed = read({file, files.write("2", "a b 3\n")});
  EXPECT_EQ(mixed.common.origin, 0);
  EXPECT_EQ(mixed.trained[1].value, 1000000002.F);
  EXPECT_EQ(mixed.trained[3].value, 3);
}

TEST_F(Ratings, NoRatingsAreAnError) {
  EXPECT_THROW(read({files.write("1", "# none\n")}), DataError);
}

TEST_F(Ratings, HeldOutOnesOfStrangersAreScoredWithTheMean) {
  const mf::AllRatings data = read({files.write("1", "a b 1\na c 3\n")}, {files.write("2", "a c 2\nz c 5\na z 1\n")});
  ASSERT_EQ(data.held_out.size(), 1U);
  EXPECT_EQ(data.held_out[0].of[1], 1U);
  EXPECT_EQ(data.common.unknown.count, 2U);
  EXPECT_EQ(data.common.unknown.squared_errors, 10);
  EXPECT_EQ(data.common.unknown.absolute_errors, 4);
}

const std::vector<mf::Rating> kRatings = {{{0, 3}, 1}, {{2, 1}, 2}, {{0, 0}, 3}, {{3, 3}, 4},
                                          {{0, 3}, 5}, {{2, 0}, 0}, {{3, 2}, 6}};

// Of four users and four items.
mf::AllRatings all_of(const std::vector<mf::Rating>& ratings) {
  mf::AllRatings all{{}, nullptr, mf::RatingList(ratings), {kRatings[1]}};
  for (auto& counts : all.common.counts) counts.resize(4);
  for (const mf::Rating& one : ratings)
    for (const std::uint32_t side : {mf::kUserSide, mf::kItemSide}) ++all.common.counts[side][one.of[side]];
  return all;
}

std::string text(const mf::RatingRows& rows) {
  std::string out = std::to_string(rows.first) + ":";
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (const mf::Partner& one : rows.row(i))
      out += " " + std::to_string(one.number) + "=" + std::to_string(static_cast<int>(one.value));
    out += ";";
  }
  return out;
}

TEST(RatingRows, AreInTheOrderGivenUntilTheyAreSorted) {
  mf::RatingRows rows({kRatings[1], kRatings[3], kRatings[5], kRatings[6]}, mf::kUserSide, {1, 1, 3});
  EXPECT_EQ(text(rows), "1:; 1=2 0=0; 3=4 2=6;");
  rows.sort();
  EXPECT_EQ(text(rows), "1:; 0=0 1=2; 2=6 3=4;");
  EXPECT_EQ(text({kRatings, mf::kItemSide, {0, 1, 4}}), "0: 0=3 2=0; 2=2; 3=6; 0=1 3=4 0=5;");
  EXPECT_EQ(text({{kRatings[3], kRatings[6]}, mf::kUserSide, {1, 2, 2}}), "1:; 3=4 2=6;");
  EXPECT_EQ(text({std::vector<mf::Rating>(), mf::kUserSide, {1, 1, 0}}), "1:");
}

TEST(RatingRows, OfOnePairAddUp) {
  mf::RatingRows rows(kRatings, mf::kUserSide, {0, 1, 4});
  rows.add_up();
  EXPECT_EQ(text(rows), "0: 3=6 0=3;; 1=2 0=0; 3=4 2=6;");
}

TEST(RatingRows, FitTheirNumbersAlone) {
  const mf::RowNumbers numbers = {0, 1, 4};
  const mf::RatingRows rows(kRatings, mf::kUserSide, numbers);
  EXPECT_TRUE(rows.fits(numbers, 4));
  EXPECT_FALSE(rows.fits({1, 1, 4}, 4));
  EXPECT_FALSE(rows.fits({0, 1, 3}, 4));
  EXPECT_FALSE(rows.fits(numbers, 3)) << "there is a partner 3";
  const auto damaged = [&](auto damage) {
    mf::RatingRows other = rows;
    damage(other);
    return !other.fits(numbers, 4);
  };
  EXPECT_TRUE(damaged([](mf::RatingRows& its) { its.begins[1] = 100; }));
  EXPECT_TRUE(damaged([](mf::RatingRows& its) { its.partners.pop_back(); }));
  EXPECT_TRUE(damaged([](mf::RatingRows& its) { its.partners[0].value = std::nanf(""); }));
}

TEST(DealtRatings, AreThoseOfUsersAndItemsOfTheShard) {
  mf::AllRatings all = all_of(kRatings);
  auto shards = mf::deal(all, 3, std::vector<ShardId>{2, 0});
  EXPECT_TRUE(all.trained.empty());
  EXPECT_EQ(text(shards[0].of[0]), "2: 1=2 0=0;");
  EXPECT_EQ(text(shards[0].of[1]), "2: 3=6;");
  EXPECT_EQ(shards[0].held_out[0].size(), 1U);
  EXPECT_EQ(text(shards[1].of[0]), "0: 3=1 0=3 3=5; 3=4 2=6;");
  EXPECT_EQ(shards[1].held_out[0].size(), 0U);
  all = all_of(kRatings);
  all.common.cuts = {{{0, 1, 1, 4}, {0, 4, 4, 4}}};
  shards = mf::deal(all, 3, std::vector<ShardId>{0, 1, 2}, {false, true});
  EXPECT_EQ(shards[2].of[0].ratings(), 4U);
  EXPECT_TRUE(shards[2].of[0].partners.empty());
  EXPECT_EQ(shards[0].of[1].partners.size(), kRatings.size());
}

TEST(DealtRatings, AreTheSameWhetherAllShardsAreHereOrOne) {
  for (const bool ranges : {false, true})
    for (const bool add_up : {false, true}) {
      const auto dealt = [&](const std::vector<ShardId>& hosted) {
        mf::AllRatings all = all_of(kRatings);
        if (ranges) all.common.cuts = {{{0, 1, 1, 4}, {0, 2, 4, 4}}};
        return mf::deal(all, 3, hosted, {true, true}, add_up);
      };
      const std::vector<ShardId> order = {2, 0, 1};
      const auto together = dealt(order);
      for (std::size_t i = 0; i < order.size(); ++i)
        for (const std::uint32_t side : {mf::kUserSide, mf::kItemSide})
          EXPECT_EQ(text(together[i].of[side]), text(dealt({order[i]})[0].of[side]));
    }
}

TEST(DealtRatings, RangesHaveAboutEqualWork) {
  mf::Common common;
  common.counts[0].assign(100, 5);
  common.counts[0][0] = 505;
  mf::cut_ranges(common, 4);
  const auto& cuts = common.cuts[0];
  ASSERT_EQ(cuts.size(), 5U);
  EXPECT_EQ(cuts.front(), 0U);
  EXPECT_EQ(cuts[1], 1U) << "one user has more than a quarter";
  EXPECT_EQ(cuts.back(), 100U);
  EXPECT_EQ(common.cuts[1], (std::vector<std::uint64_t>(5)));
}

}  // namespace
}  // namespace rota::tests
