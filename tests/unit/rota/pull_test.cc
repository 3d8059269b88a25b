// tests/unit/rota/pull_test.cc
#include "rota/pull.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

TEST(Pull, AddsOrAssigns) {
  std::vector<double> first = {1, 2}, second = {3, 4};
  const std::vector<double> sums[] = {{10, 20}, {30, 40, 50}};
  const PullEntry entries[] = {{7, sums[0], first}, {9, sums[1], second}};
  Writer reply;
  const PullTask task{1, 0, entries, {}, {}, {}, reply};
  AddPull().pull(task);
  EXPECT_EQ(first, (std::vector<double>{11, 22}));
  AssignPull().pull(task);
  EXPECT_EQ(first, (std::vector<double>{10, 20}));
  EXPECT_EQ(second, (std::vector<double>{30, 40})) << "a part may have more numbers than its row";
}

}  // namespace
}  // namespace rota
