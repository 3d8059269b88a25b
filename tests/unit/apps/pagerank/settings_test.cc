#include "apps/pagerank/settings.h"

namespace rota::pagerank {
namespace {

std::vector<std::string> ignored_with(const char* exchange) {
  const std::map<std::string, std::string, std::less<>> options = {{"exchange", exchange}};
  std::vector<std::string> names;
  for (const Ignored& one : ignored(Options(options))) names.push_back(one.option);
  return names;
}

// An epoch has one round, so nothing can lag behind a commit of the same epoch.
TEST(Settings, WhatChangesNothingIsTold) {
  EXPECT_EQ(ignored_with("store"), (std::vector<std::string>{"asynchronous", "staleness", "steps"}));
  EXPECT_EQ(ignored_with("sparse"), (std::vector<std::string>{"asynchronous", "staleness"}));
}

}  // namespace
}  // namespace rota::pagerank
