// Memory of this process that others may read.
#include "core/wire/lent_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace rota {
namespace {

TEST(LentMemory, IsUsedAgainWhenItIsFullAndGivenBack) {
  LentMemory::open();
  LentMemory& memory = *LentMemory::of_process();
  std::vector<void*> taken;
  while (void* const at = memory.take(kLentLeast + 1)) taken.push_back(at);
  EXPECT_GT(taken.size(), kLentMemory / kLentLeast - 64);
  const LendableVector<double> elsewhere(100'000, 1);
  EXPECT_FALSE(memory.has(elsewhere.data()));
  // In an order in which neighbours on either side, on both and on none are free.
  for (std::size_t step = 0; step < 3; ++step)
    for (std::size_t i = step; i < taken.size(); i += 3) memory.give_back(taken[i], kLentLeast + 1);
  void* const most = memory.take(kLentMemory / 2);
  EXPECT_NE(most, nullptr);
  memory.give_back(most, kLentMemory / 2);
  const LendableVector<double> lent(100'000, 1), few(100, 1);
  EXPECT_TRUE(memory.has(lent.data()));
  EXPECT_FALSE(memory.has(few.data()));
}

TEST(SharedMemory, MemoryThatCouldShrinkOrHasAnotherSizeIsRefused) {
  const auto small = SharedMemory::create(4096);
  EXPECT_FALSE(SharedMemory::open(FileDescriptor(::dup(small->descriptor().get())), 8192).ok());
  FileDescriptor unsealed(::memfd_create("rota", MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(unsealed.get(), 8192), 0);
  EXPECT_FALSE(SharedMemory::open(std::move(unsealed), 8192).ok());
  EXPECT_FALSE(SharedMemory::open(FileDescriptor(::open("/dev/null", O_RDWR)), 8192).ok());
}

}  // namespace
}  // namespace rota
