// tests/sim/volatile_disk_test.cc -- the content of a simulated disk after a power cut.
#include "tests/sim/volatile_disk.h"

#include <gtest/gtest.h>

#include <set>

namespace rota::sim {
namespace {

constexpr Nanoseconds kLong = 1000;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

class Volatile : public ::testing::Test {
 protected:
  // The possible contents of a file when power is cut at some time during `work`: "-" if it does not exist.
  template <typename Work>
  std::set<std::string> left(const std::string& path, Nanoseconds cut_at, const Work& work) {
    std::set<std::string> all;
    std::mt19937_64 random(1);
    for (int i = 0; i < 200; ++i) {
      work_->now = 0;
      VolatileDisk disk(work_);
      work(disk);
      disk.killed(cut_at, [](std::uint64_t) { return true; });
      disk.cut(cut_at, random);
      const auto* found = disk.find(path);
      all.insert(found == nullptr ? "-" : std::string(reinterpret_cast<const char*>(found->data()), found->size()));
    }
    return all;
  }

  std::shared_ptr<DiskWork> work_ = std::make_shared<DiskWork>();
};

using Texts = std::set<std::string>;

TEST_F(Volatile, AnUnsyncedFileMayBeTruncated) {
  const auto work = [](VolatileDisk& disk) { ASSERT_TRUE(disk.write("file", 0, bytes_of("ab")).ok()); };
  EXPECT_EQ(left("file", kLong, work), (Texts{"-", "", "a", "ab"}));
}

TEST_F(Volatile, AnUnsyncedNameMayBeLost) {
  const auto work = [](VolatileDisk& disk) {
    ASSERT_TRUE(disk.write("file", 0, bytes_of("ab")).ok());
    disk.sync("file");
  };
  EXPECT_EQ(left("file", kLong, work), (Texts{"-", "ab"}));
}

TEST_F(Volatile, AtomicWritesAreOldOrNew) {
  work_->takes = [] { return Nanoseconds{10}; };
  const auto work = [](VolatileDisk& disk) {
    ASSERT_TRUE(disk.write_atomically("file", bytes_of("old")).ok());  // 20 long
    ASSERT_TRUE(disk.write_atomically("file", bytes_of("new")).ok());
  };
  EXPECT_EQ(left("file", 19, work), (Texts{"-", "old"}));
  EXPECT_EQ(left("file", 29, work), (Texts{"old"}));
  EXPECT_EQ(left("file", 39, work), (Texts{"old", "new"}));
  EXPECT_EQ(left("file", 40, work), (Texts{"new"}));
}

TEST_F(Volatile, FilesAreLostWithTheirFolder) {
  const auto work = [](VolatileDisk& disk) {
    ASSERT_TRUE(disk.make_folder("folder").ok());
    ASSERT_TRUE(disk.write_atomically("folder/file", bytes_of("ab")).ok());
    disk.remove("folder/file");
  };
  work_->takes = [] { return Nanoseconds{10}; };
  EXPECT_EQ(left("folder/file", 9, work), (Texts{"-"})) << "nothing was written then";
  EXPECT_EQ(left("folder/file", 30, work), (Texts{"-", "ab"})) << "that it was removed may be lost";
}

TEST_F(Volatile, LiveProcessesSeeAllTheirChanges) {
  VolatileDisk disk(work_);
  work_->takes = [] { return Nanoseconds{10}; };
  work_->life = 1;
  ASSERT_TRUE(disk.write_atomically("mine", bytes_of("a")).ok());
  work_->life = 2;
  ASSERT_TRUE(disk.write_atomically("theirs", bytes_of("b")).ok());
  disk.killed(35, [](std::uint64_t life) { return life == 2; });
  EXPECT_NE(disk.find("mine"), nullptr);
  EXPECT_NE(disk.find("theirs"), nullptr) << "it was renamed at 30";
  EXPECT_TRUE(disk.keeps("mine", bytes_of("a"), true));
  EXPECT_FALSE(disk.keeps("theirs", bytes_of("b"), true)) << "the folder would have been synced at 40";
  disk.killed(29, [](std::uint64_t life) { return life == 2; });
  EXPECT_EQ(disk.find("theirs"), nullptr);
}

TEST_F(Volatile, AFullDiskReturnsAnError) {
  VolatileDisk disk(work_);
  work_->full = [] { return true; };
  EXPECT_EQ(disk.write("file", 0, bytes_of("ab")).code(), ExitCode::disk);
  EXPECT_EQ(disk.find("file")->size(), 1U);
  EXPECT_EQ(disk.make_folder("folder").code(), ExitCode::cannot_write);
}

}  // namespace
}  // namespace rota::sim
