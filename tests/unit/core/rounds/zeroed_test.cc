#include "core/rounds/zeroed.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/core/base/page_sizes.h"

namespace rota {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

TEST(Zeroed, IsZeroInMemoryThatWasUsed) {
  for (const std::size_t bytes : {std::size_t{100}, 3 * kMebibyte, 65 * kMebibyte}) {
    for (int twice = 0; twice < 2; ++twice) {
      Zeroed<unsigned char> numbers(bytes);
      EXPECT_TRUE(std::ranges::all_of(numbers, [](unsigned char byte) { return byte == 0; })) << bytes;
      std::ranges::fill(numbers, 7);
    }
  }
}

TEST(Zeroed, IsInLargePagesUpTo64MiB) {
  if (!system_has_large_pages()) GTEST_SKIP() << "no large pages here";
  for (const std::size_t mebibytes : {33, 64, 65})
    EXPECT_EQ(wants_large_pages(Zeroed<unsigned char>(mebibytes * kMebibyte).data()), mebibytes <= 64) << mebibytes;
}

}  // namespace
}  // namespace rota
