#include "apps/mf/ratings/rating_data.h"

#include "apps/mf/sgd/push.h"
#include "rota/error.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::tests {
namespace {

using RatingDataTest = WithFiles;

mf::RatingData read(const std::vector<std::string>& files) {
  return mf::read_ratings(files, {}, mf::RatingKind::ratings);
}

TEST_F(RatingDataTest, NumbersGoByFirstAppearanceOverAllFiles) {
  const mf::RatingData data = read({files.write("1", "zoe x 1\nada x 2\n"), files.write("2", "ada,y,3\nzoe,x,4\n")});
  EXPECT_EQ(data.names[0].word(0), "zoe");
  EXPECT_EQ(data.names[0].word(1), "ada");
  EXPECT_EQ(data.names[1].size(), 2U);
  ASSERT_EQ(data.ratings.size(), 4U);  // the repeated pair too
  EXPECT_EQ(data.ratings[2].of[0], 1U);
  EXPECT_EQ(data.ratings[2].of[1], 1U);
  EXPECT_EQ(data.ratings[3].value, 4);
  EXPECT_DOUBLE_EQ(data.statistics.mean, 2.5);
  EXPECT_DOUBLE_EQ(data.statistics.deviation * data.statistics.deviation, 1.25);
}

TEST_F(RatingDataTest, EqualRatingsAreTheirOwnUnit) {
  EXPECT_EQ(read({files.write("1", "a b 0.1\na c 0.1\nb b 0.1\n")}).statistics.deviation, 0.1);
  EXPECT_EQ(read({files.write("1", "a b 0\na c 0\n")}).statistics.deviation, 1);
}

TEST_F(RatingDataTest, RatingsFarFromZeroKeepWhatTheyDifferIn) {
  const std::string file = files.write("1", "a b 1000000001\na c 1000000002\nb b 1000000004.5\n");
  const mf::RatingData data = read({file});
  EXPECT_EQ(data.statistics.origin, 1000000001);
  EXPECT_EQ(data.ratings[1].value, 1);
  EXPECT_EQ(data.ratings[2].value, 3.5F);
  EXPECT_DOUBLE_EQ(data.statistics.mean, 1000000002.5);
  EXPECT_NEAR(data.statistics.deviation, std::sqrt(6.5 / 3), 1e-9);
  EXPECT_EQ(mf::read_held_out({file}, {}, mf::RatingKind::ratings, data).known[2].value, 3.5F);
  const mf::RatingData mixed = read({file, files.write("2", "a b 3\n")});
  EXPECT_EQ(mixed.statistics.origin, 0);
  EXPECT_EQ(mixed.ratings[1].value, 1000000002.F);
  EXPECT_EQ(mixed.ratings[3].value, 3);
}

TEST_F(RatingDataTest, NoRatingsAreAnError) {
  EXPECT_THROW(read({files.write("1", "# none\n")}), DataError);
}

TEST_F(RatingDataTest, NamesGoThroughBytes) {
  mf::Names names;
  for (const char* name : {"b", "a", "\xff\xfe"}) names.number_of(name);
  Writer out;
  names.encode(out);
  const auto bytes = out.take();
  Reader in(bytes);
  mf::Names back;
  back.decode(in);
  EXPECT_TRUE(in.done());
  ASSERT_EQ(back.size(), 3U);
  EXPECT_EQ(back.word(2), "\xff\xfe");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Reader less(std::span<const std::byte>(bytes).first(size));
    back.decode(less);
    EXPECT_FALSE(less.done()) << size;
  }
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
