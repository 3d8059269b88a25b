#include "apps/mf/ratings/split_ratings.h"

#include "rota/error.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::tests {
namespace {

using mf::SplitBy;

std::string many(int users, int each) {
  std::string text;
  for (int i = 0; i < users * each; ++i) text += std::to_string(i % users) + " " + std::to_string(i) + " 1\n";
  return text;
}

using SplitRatings = WithFiles;

TEST_F(SplitRatings, AtRandomByTheSeed) {
  const std::vector<std::string> input = {files.write("1", many(10, 400))};
  const auto held = mf::held_out(input, {}, {SplitBy::random, 0.25, 7});
  EXPECT_EQ(held, mf::held_out(input, {}, {SplitBy::random, 0.25, 7}));
  EXPECT_NE(held, mf::held_out(input, {}, {SplitBy::random, 0.25, 8}));
  EXPECT_NEAR(static_cast<double>(std::count(held.begin(), held.end(), true)), 1000, 150);
}

TEST_F(SplitRatings, TheNewest) {
  const std::vector<std::string> input = {files.write("1", "a x 1 5\na y 1 1\n"),
                                          files.write("2", "b x 1 4\nb y 1 5\n")};
  EXPECT_EQ(mf::held_out(input, {}, {SplitBy::time, 0.25, 1}), (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(mf::held_out(input, {}, {SplitBy::time, 0.75, 1}), (std::vector<bool>{true, false, true, true}));
  EXPECT_THROW(mf::held_out({files.write("3", "a x 1 5\na y 1\n")}, {}, {SplitBy::time, 0.5, 1}), DataError);
}

TEST_F(SplitRatings, OneOfEachUserThatHasTwo) {
  const std::vector<std::string> timed = {files.write("1", "a x 1 5\na y 1 9\nb x 1 4\na z 1 6\nc x 1 1\nc y 1 1\n")};
  EXPECT_EQ(mf::held_out(timed, {}, {SplitBy::leave_one_out, 0, 1}),
            (std::vector<bool>{false, true, false, false, false, true}));
  const std::vector<std::string> input = {files.write("2", many(50, 4))};
  const auto held = mf::held_out(input, {}, {SplitBy::leave_one_out, 0, 1});
  std::map<std::size_t, int> of_user, of_turn;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i]) ++of_user[i % 50], ++of_turn[i / 50];
  EXPECT_EQ(of_user.size(), 50U);
  for (const auto& [user, count] : of_user) EXPECT_EQ(count, 1) << user;
  EXPECT_EQ(of_turn.size(), 4U);  // not always the first or the last
}

TEST_F(SplitRatings, NoRatingsAreAnError) {
  EXPECT_THROW(mf::held_out({files.write("1", "#\n")}, {}, {}), DataError);
}

}  // namespace
}  // namespace rota::tests
