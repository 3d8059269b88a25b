#include "core/base/heap_pages.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "tests/unit/core/base/page_sizes.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace rota {
namespace {

using Block = std::unique_ptr<void, decltype(&std::free)>;

// calloc() writes zeros to a block from the heap before anybody can ask for large pages for it: so the one before it
// asks for both.
TEST(HeapPages, ALargeBlockAsksForWhatTheHeapHasGrownBy) {
  if (!system_has_large_pages()) GTEST_SKIP() << "no large pages here";
  constexpr std::size_t kBytes = std::size_t{20} << 20;
  std::vector<Block> blocks;
  void* const end = ::sbrk(0);
  while (::sbrk(0) == end && blocks.size() < 20)
    blocks.emplace_back(in_large_heap(std::calloc(kBytes, 1), kBytes), &std::free);
  if (::sbrk(0) == end) GTEST_SKIP() << "the heap does not grow by such blocks here, as with a limit of memory";
  const Block next(std::calloc(kBytes, 1), &std::free);
  EXPECT_TRUE(wants_large_pages(next.get()));
}

TEST(HeapPages, NoBlockIsNoBlock) {
  EXPECT_EQ(in_large_heap(nullptr, std::size_t{1} << 30), nullptr);
}

}  // namespace
}  // namespace rota

#endif
