#include "core/base/start_number.h"

namespace rota {
namespace {

TEST(StartNumber, EveryStartHasItsOwnAndNoneIsAZeroOrLong) {
  std::set<std::uint64_t> numbers;
  std::uint64_t any = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t number = new_start_number();
    EXPECT_NE(number, 0U);
    EXPECT_TRUE(numbers.insert(number).second);
    any |= number;
  }
  EXPECT_EQ(any, ~std::uint64_t{0} >> 1) << "all 63 bits are drawn, and no more";
}

// Start numbers were clock readings: after the clock was set back, a new start counted as stale.
TEST(StartNumber, NumbersDoNotGrowWithTime) {
  int larger = 0;
  std::uint64_t last = new_start_number();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t number = new_start_number();
    larger += number > last ? 1 : 0;
    last = number;
  }
  EXPECT_GT(larger, 100);
  EXPECT_LT(larger, 900);
}

}  // namespace
}  // namespace rota
