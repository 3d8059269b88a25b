// Blocks of operator new.
#include <gtest/gtest.h>
#include <malloc.h>

#include <new>
#include <vector>

#include "tests/unit/core/base/page_sizes.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace rota {
namespace {

TEST(LargeMemory, LargeVectorsAreInLargePages) {
  if (!system_has_large_pages()) GTEST_SKIP() << "no large pages here";
  for (const std::size_t kibibytes : {128, 5'000, 40'000})
    EXPECT_TRUE(wants_large_pages(std::vector<char>(kibibytes << 10, 'x').data())) << kibibytes;
  struct alignas(64) Line {
    char bytes[64];
  };
  EXPECT_TRUE(wants_large_pages(std::vector<Line>(40'000).data()));
}

TEST(LargeMemory, OnlyBlocksOf32MiBAndMoreAreMappingsOfTheirOwn) {
  const std::size_t mapped = ::mallinfo2().hblkhd;  // bytes of blocks that are mappings of their own
  const std::vector<char> from_heap(std::size_t{31} << 20);
  EXPECT_EQ(::mallinfo2().hblkhd, mapped);
  const std::vector<char> alone(std::size_t{200} << 20);
  EXPECT_GT(::mallinfo2().hblkhd, mapped);
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
