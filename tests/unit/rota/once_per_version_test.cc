#include "rota/once_per_version.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace rota {
namespace {

TEST(OncePerVersion, IsMadeOnceForEach) {
  OncePerVersion<std::vector<double>> one;
  int made = 0;
  const auto make = [&](std::vector<double>& out) { out.assign(1, ++made); };
  EXPECT_EQ(one.of(0, make)[0], 1);
  EXPECT_EQ(one.of(0, make)[0], 1);
  EXPECT_EQ(one.of(5, make)[0], 2);
}

TEST(OncePerVersion, ThreadsShareTheParts) {
  OncePerVersion<std::vector<int>> parts;
  std::atomic<int> begun = 0;
  const auto ask = [&](std::uint64_t version) {
    const auto begin = [&](std::vector<int>& out) { ++begun, out.assign(1000, 0); };
    const auto make = [&](std::vector<int>& out, std::size_t part) { out[part] += static_cast<int>(part + version); };
    const std::vector<int> made = parts.of_parts(version, 1000, begin, make);
    for (int part = 0; part < 1000; ++part)
      if (made[static_cast<std::size_t>(part)] != part + static_cast<int>(version)) return false;
    return true;
  };
  for (std::uint64_t version = 1; version <= 50; ++version) {
    std::atomic<int> complete = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) threads.emplace_back([&] { complete += ask(version) ? 1 : 0; });
    threads.clear();
    EXPECT_EQ(complete, 3);
  }
  EXPECT_EQ(begun, 50);
}

}  // namespace
}  // namespace rota
