#include "apps/kmeans/commands.h"

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
}

TEST(Sums, RowsAreNarrowIfTheyDivideTheClusters) {
  for (const auto& [clusters, width] :
       {std::pair(1U, 1U), {16U, 16U}, {17U, 17U}, {20U, 10U}, {22U, 11U}, {34U, 34U}, {96U, 16U}, {100U, 10U}})
    EXPECT_EQ(width_of_sums(clusters), width);
}

}  // namespace
}  // namespace rota::kmeans
