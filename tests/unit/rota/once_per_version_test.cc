#include "rota/once_per_version.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace rota
