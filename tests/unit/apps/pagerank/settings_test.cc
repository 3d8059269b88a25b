#include "apps/pagerank/settings.h"

#include "tests/unit/apps/ignored_with.h"

namespace rota::pagerank {
namespace {

std::set<std::string> ignored_with(const char* exchange) {
  const std::map<std::string, std::string, std::less<>> given = {{"exchange", exchange}};
  return tests::ignored_with(options(), kSynchronous, Options(given));
}

// An epoch has one round, so nothing can be stale within an epoch.
TEST(Settings, AnOptionThatAnotherSwitchesOffIsIgnored) {
  EXPECT_EQ(ignored_with("store"), (std::set<std::string>{"asynchronous", "staleness", "steps"}));
  EXPECT_EQ(ignored_with("sparse"), (std::set<std::string>{"asynchronous", "staleness"}));
}

}  // namespace
}  // namespace rota::pagerank
