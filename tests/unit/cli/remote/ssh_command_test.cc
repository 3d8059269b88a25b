#include "cli/remote/ssh_command.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

TEST(SshCommand, HasNothingOfTheUsersButACheckedPath) {
  const auto words = ssh_arguments({"me", "b", 4}, "/opt/my rota/$HOME;id/rota");
  ASSERT_TRUE(words.ok()) << words.status().what();
  ASSERT_GE(words->size(), 3u);
  EXPECT_EQ(words->back(), "exec '/opt/my rota/$HOME;id/rota' agent") << "quoted, no shell looks into it";
  EXPECT_EQ((*words)[words->size() - 2], "me@b");
  EXPECT_EQ((*words)[words->size() - 3], "--") << "no host is ever an option";
}

TEST(SshCommand, RefusesPathsThatCouldEndTheQuotes) {
  for (const char* path : {"", "rota", "./rota", "~/rota", "/a'b", "/a\\", "/a!b", "/a\nb", "/a\tb", "/\xc3\xa4",
                           "/a\x7f", "-rota", "'/rota'"}) {
    const auto words = ssh_arguments({"", "a", 1}, path);
    ASSERT_FALSE(words.ok()) << path;
    EXPECT_EQ(words.status().code(), ExitCode::usage);
  }
}

}  // namespace
}  // namespace rota
