#include "apps/kmeans/settings.h"

#include <gtest/gtest.h>

#include "rota/error.h"

namespace rota::kmeans {
namespace {

TEST(Settings, AreThoseOfTheOptions) {
  const Settings settings = settings_of(Options({{"clusters", "5"}, {"start", "random"}, {"tolerance", "0.25"}}));
  EXPECT_EQ(settings.clusters, 5U);
  EXPECT_FALSE(settings.plusplus);
  EXPECT_EQ(settings.tolerance, 0.25);
}

TEST(Settings, TheTablesFollowTheColumns) {
  const std::vector<Table> tables = tables_of({.clusters = 3}, 7);
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[kSums].keys, 8U);
  EXPECT_EQ(tables[kSums].row_width, 3U);
  EXPECT_TRUE(tables[kTalk].single_partition);
}

TEST(Settings, MoreClustersThanRowsAreRefused) {
  check_rows({.clusters = 3}, 3);
  EXPECT_THROW(check_rows({.clusters = 3}, 2), UsageError);
}

}  // namespace
}  // namespace rota::kmeans
