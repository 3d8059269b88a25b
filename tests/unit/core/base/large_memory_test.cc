// Blocks of operator new.
#include <gtest/gtest.h>

#include <new>
#include <vector>

#include "tests/unit/core/base/page_sizes.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace rota {
namespace {

TEST(LargeMemory, LargeVectorsAreInLargePagesAndSmallOnesAreNot) {
  if (!system_has_large_pages()) GTEST_SKIP() << "no large pages here";
  const std::vector<char> large(std::size_t{5} << 20, 'x'), small(1000, 'x');
  EXPECT_TRUE(wants_large_pages(large.data()));
  EXPECT_FALSE(wants_large_pages(small.data()));
  struct alignas(64) Line {
    char bytes[64];
  };
  EXPECT_TRUE(wants_large_pages(std::vector<Line>(40'000).data()));
}

TEST(LargeMemory, NewThrowsAfterItsHandlerGaveUp) {
  static int calls = 0;
  const std::new_handler before = std::set_new_handler([] {
    if (++calls == 2) std::set_new_handler(nullptr);
  });
  volatile std::size_t bytes = ~std::size_t{0} / 2;
  EXPECT_THROW(::operator delete(::operator new(bytes)), std::bad_alloc);
  EXPECT_EQ(calls, 2);
  EXPECT_THROW(::operator delete (::operator new (bytes, std::align_val_t{64}), std::align_val_t{64}), std::bad_alloc);
  std::set_new_handler(before);
}

}  // namespace
}  // namespace rota

#endif
