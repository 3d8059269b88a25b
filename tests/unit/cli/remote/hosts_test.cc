#include "cli/remote/hosts.h"

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

std::string targets(const std::vector<Machine>& machines) {
  std::string text;
  for (const Machine& machine : machines) text += machine.target() + " " + std::to_string(machine.slots) + "\n";
  return text;
}

TEST(Hosts, AreNamesAndNumbersWithSlots) {
  const auto machines = read_hosts("a,b-2.example.org:4,me@10.0.0.7,you@[fd00::1]:2,[fe80::1%eth0]");
  ASSERT_TRUE(machines.ok()) << machines.status().what();
  EXPECT_EQ(targets(*machines), "a 1\nb-2.example.org 4\nme@10.0.0.7 1\nyou@fd00::1 2\nfe80::1%eth0 1\n");
  EXPECT_EQ(slots_of(*machines), 9u);
}

TEST(Hosts, AreNeverShellWordsOrOptions) {
  for (const char* text : {"",          ",",
                           "a,",        ",a",
                           "a,,b",      "-oProxyCommand=id",
                           "me@-a",     "-me@a",
                           "@a",        "a@",
                           "a b",       " a",
                           "a ",        "a;id",
                           "a|b",       "a&b",
                           "$(id)",     "`id`",
                           "a'b",       "a\"b",
                           "a\\b",      "a\nb",
                           "a\tb",      "a>b",
                           "a*",        "a?",
                           "~a",        "a!b",
                           "a=b",       "a%b",
                           "{a}",       "a@b@c",
                           ".a",        "\x01",
                           "\xc3\xa4",  "a#b",
                           "[a]",       "[::1",
                           "::1",       "fd00::1:4",
                           "[]",        "[::1]4",
                           "[::1%;id]", "a:",
                           "a:0",       "a:-1",
                           "a:4x",      "a: 4",
                           "a:10001",   "a:99999999999999999999",
                           "a:1:2"}) {
    const auto machines = read_hosts(text);
    ASSERT_FALSE(machines.ok()) << text;
    EXPECT_EQ(machines.status().code(), ExitCode::usage) << text;
    EXPECT_NE(machines.status().what().find("is not a host"), std::string::npos) << machines.status().what();
  }
  EXPECT_FALSE(read_hosts(std::string("a\0b", 3)).ok());
  EXPECT_FALSE(read_hosts(std::string(254, 'a')).ok());
  EXPECT_TRUE(read_hosts(std::string(253, 'a')).ok());
}

TEST(Hosts, AreUnique) {
  const auto twice = read_hosts("a:2,b,a");
  ASSERT_FALSE(twice.ok());
  EXPECT_NE(twice.status().what().find("'a' is not a host: it is there already"), std::string::npos);
  EXPECT_TRUE(read_hosts("a,me@a").ok()) << "for another user it may be another machine";
}

using HostsFile = TemporaryFolder;

TEST_F(HostsFile, HasOneHostPerLine) {
  const auto file = folder / "hosts";
  std::ofstream(file) << "# ours\n\n  a:3  # the large one\r\nme@b\n";
  const auto machines = read_hosts(file.string());
  ASSERT_TRUE(machines.ok()) << machines.status().what();
  EXPECT_EQ(targets(*machines), "a 3\nme@b 1\n");
  std::ofstream(file) << "a\n\nb c\n";
  const auto wrong = read_hosts(file.string());
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.status().code(), ExitCode::usage);
  EXPECT_EQ(wrong.status().what().find(file.string() + ":3: 'b c' is not a host"), 0u) << wrong.status().what();
  std::ofstream(file) << "# none\n";
  EXPECT_EQ(read_hosts(file.string()).status().code(), ExitCode::usage);
  EXPECT_EQ(read_hosts((folder / "nothing").string()).status().code(), ExitCode::no_input);
}

TEST(Hosts, ShareProcessesByTheirSlots) {
  const std::vector<Machine> machines = {{"", "a", 1}, {"", "b", 3}, {"", "c", 2}};
  const auto dealt = [&](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += machines[machine_of(machines, i, count)].name;
    return text;
  };
  EXPECT_EQ(dealt(6), "abbbcc");
  EXPECT_EQ(dealt(12), "aabbbbbbcccc");
  EXPECT_EQ(dealt(3), "abc");
  EXPECT_EQ(dealt(2), "ab");
  EXPECT_EQ(dealt(1), "a");
}

TEST(SshCommand, HasNothingOfTheUsersButACheckedPath) {
  const auto words = ssh_arguments({.user = "me", .name = "b", .slots = 4}, "/opt/my rota/$HOME;id/rota", {"agent"});
  ASSERT_TRUE(words.ok()) << words.status().what();
  ASSERT_GE(words->size(), 3u);
  EXPECT_EQ(words->back(), "exec '/opt/my rota/$HOME;id/rota' agent") << "quoted, so that no shell expands it";
  EXPECT_EQ((*words)[words->size() - 2], "me@b");
  EXPECT_EQ((*words)[words->size() - 3], "--") << "no host is ever an option";
}

TEST(SshCommand, RefusesPathsThatCouldEndTheQuotes) {
  for (const char* path : {"", "rota", "./rota", "~/rota", "/a'b", "/a\\", "/a!b", "/a\nb", "/a\tb", "/\xc3\xa4",
                           "/a\x7f", "-rota", "'/rota'"}) {
    const auto words = ssh_arguments({.user = "", .name = "a"}, path, {});
    ASSERT_FALSE(words.ok()) << path;
    EXPECT_EQ(words.status().code(), ExitCode::usage);
  }
}

}  // namespace
}  // namespace rota
