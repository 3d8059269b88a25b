#include "rota/random.h"

namespace rota {
namespace {

TEST(Random, GivesTheSequenceOfXoshiro256PlusPlus) {
  // From the state 1, 2, 3, 4, by the authors' reference code.
  Random random({1, 2, 3, 4});
  const std::vector<std::uint64_t> expected = {
      41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205U, 9973669472204895162U};
  for (const std::uint64_t number : expected) EXPECT_EQ(random(), number);
}

TEST(Random, LeavesTheZeroState) {
  Random random({0, 0, 0, 0});
  std::uint64_t any = 0;
  for (int i = 0; i < 10; ++i) any |= random();
  EXPECT_NE(any, 0U);
}

TEST(Random, UniformIsBelowOneAndFillsTheRange) {
  Random random({11, 12, 13, 14});
  std::vector<int> tenths(10);
  for (int i = 0; i < 100000; ++i) {
    const double drawn = random.uniform();
    ASSERT_GE(drawn, 0.0);
    ASSERT_LT(drawn, 1.0);
    ++tenths[static_cast<std::size_t>(drawn * 10)];
  }
  // Six standard deviations of a binomial: 6 * sqrt(100000 * 0.1 * 0.9).
  for (const int count : tenths) EXPECT_NEAR(count, 10000, 570);
  for (int i = 0; i < 1000; ++i) ASSERT_LT(random.uniform_float(), 1.0F);
}

TEST(Random, BelowGivesEveryNumberAndNoOther) {
  Random random({5, 6, 7, 8});
  std::vector<int> seen(7);
  for (int i = 0; i < 7000; ++i) ++seen.at(random.below(7));
  for (const int count : seen) EXPECT_NEAR(count, 1000, 180);
  EXPECT_EQ(random.below(1), 0U);
  bool high = false;
  for (int i = 0; i < 100; ++i) high = high || random.below(~std::uint64_t{0}) > (std::uint64_t{1} << 63);
  EXPECT_TRUE(high);
}

}  // namespace
}  // namespace rota
