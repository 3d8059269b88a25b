#include "apps/kmeans/settings.h"

#include "rota/error.h"

namespace rota::kmeans {
namespace {

TEST(Settings, AreThoseOfTheOptions) {
  std::map<std::string, std::string, std::less<>> options = {{"clusters", "5"},     {"init", "random"},
                                                             {"tolerance", "0.25"}, {"restarts", "4"},
                                                             {"epochs", "0"},       {"index_from", "1"}};
  Settings settings = checked_settings(Options(options));
  EXPECT_EQ(settings.clusters, 5U);
  EXPECT_FALSE(settings.plusplus);
  EXPECT_EQ(settings.tolerance, 0.25);
  EXPECT_EQ(settings.restarts, 4U);
  EXPECT_EQ(settings.most_epochs, 300U);
  options["epochs"] = "21";  // the last of them may have to make the best model again
  EXPECT_EQ(checked_settings(Options(options)).most_epochs, 5U);
  options["epochs"] = "4";
  EXPECT_THROW((void)checked_settings(Options(options)), UsageError);
  options["restarts"] = "1";
  EXPECT_EQ(checked_settings(Options(options)).most_epochs, 4U);
  EXPECT_EQ(draws_of(settings), 3U);
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
