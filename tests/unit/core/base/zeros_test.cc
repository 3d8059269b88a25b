#include "core/base/zeros.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/core/base/page_sizes.h"

namespace rota {
namespace {

TEST(Zeros, AreZeroAndCanBeWritten) {
  for (const std::size_t bytes : {kZerosLeast, std::size_t{5'555'555}, (std::size_t{64} << 20) + 1}) {
    for (int twice = 0; twice < 2; ++twice) {
      auto* const numbers = static_cast<unsigned char*>(map_zeros(bytes));
      ASSERT_NE(numbers, nullptr);
      const auto is_zero = [](unsigned char byte) { return byte == 0; };
      EXPECT_TRUE(std::all_of(numbers, numbers + bytes, is_zero));
      std::fill(numbers, numbers + bytes, std::uint8_t{7});
      unmap_zeros(numbers, bytes);
    }
  }
}

TEST(Zeros, AreInLargePagesUpTo64MiB) {
  if (!system_has_large_pages()) GTEST_SKIP() << "no large pages here";
  constexpr std::size_t kMost = std::size_t{64} << 20;
  for (const std::size_t bytes : {kZerosLeast, kMost, kMost + 1}) {
    void* const numbers = map_zeros(bytes);
    EXPECT_EQ(wants_large_pages(numbers), bytes <= kMost) << bytes;
    unmap_zeros(numbers, bytes);
  }
}

TEST(Zeros, MoreThanThereIsMemory) {
  EXPECT_EQ(map_zeros(~std::size_t{0}), nullptr);
  EXPECT_EQ(map_zeros(~std::size_t{0} / 2), nullptr);
}

}  // namespace
}  // namespace rota
