#include "apps/pagerank/settings.h"

#include <gtest/gtest.h>

namespace rota::pagerank {
namespace {

// An epoch has one round, so nothing can lag behind a commit of the same epoch.
TEST(Settings, WhatChangesNothingIsTold) {
  const std::vector<Ignored> none = ignored(Options{});
  ASSERT_EQ(none.size(), 2U);
  EXPECT_EQ(none[0].option, "asynchronous");
  EXPECT_EQ(none[1].option, "staleness");
}

}  // namespace
}  // namespace rota::pagerank
