#include "core/wire/address.h"

#include "core/base/loopback.h"

namespace rota {
namespace {

// "HOST PORT", or the error.
std::string place(std::string_view text) {
  const auto found = tcp_place(text);
  return found.ok() ? found->host + " " + std::to_string(found->port) : found.status().what();
}
std::string address(std::string_view text) {
  const auto found = tcp_address(text);
  return found.ok() ? found->host + " " + std::to_string(found->port) : found.status().what();
}

TEST(Address, IsHostAndPort) {
  EXPECT_EQ(address("tcp://127.0.0.1:7000"), "127.0.0.1 7000");
  EXPECT_EQ(address("tcp://node-1.example.org:65535"), "node-1.example.org 65535");
  EXPECT_EQ(address("tcp://*:0"), "* 0");
  EXPECT_EQ(address("tcp://*:*"), "* 0");
  EXPECT_EQ(address("tcp://[::1]:7000"), "::1 7000");
  EXPECT_EQ(address("tcp://[fe80::1%eth0]:7"), "fe80::1%eth0 7");
}

TEST(Address, AnythingElseIsRefused) {
  for (const char* text : {"", "tcp://", "tcp://a", "tcp://:7", "tcp://a:", "tcp://a:65536", "tcp://a:-1", "tcp://a:7x",
                           "tcp://[::1]", "tcp://[::1:7", "tcp://[::1]7", "tcp://::1:7", "tcp://a b:7", "tcp://a/b:7",
                           "tcp://eth0;127.0.0.1:7", "udp://a:7", "a:7", "tcp://[]:7"}) {
    const auto found = tcp_address(text);
    EXPECT_FALSE(found.ok()) << text;
    EXPECT_EQ(found.status().code(), ExitCode::usage) << text;
  }
}

TEST(Address, AHostNeedsNoPort) {
  EXPECT_EQ(place("*"), "* 0");
  EXPECT_EQ(place("*:7"), "* 7");
  EXPECT_EQ(place("node1"), "node1 0");
  EXPECT_EQ(place("::1"), "::1 0");
  EXPECT_EQ(place("[::1]"), "::1 0");
  EXPECT_EQ(place("[::1]:7"), "::1 7");
  EXPECT_EQ(place("a:b"), "'a:b' is no address: HOST:PORT, or [HOST]:PORT for IPv6, is one");
}

TEST(Address, WritingAndReadingAgree) {
  for (const char* text : {"tcp://127.0.0.1:7000", "tcp://[::1]:7000", "tcp://node1:0", "tcp://*:9"})
    EXPECT_EQ(tcp_address(text)->text(), text);
}

TEST(Address, ANameResolvesToLocalAddresses) {
  const auto numbers = own_numbers("localhost");
  ASSERT_TRUE(numbers.ok()) << numbers.status().what();
  for (const std::string& number : *numbers) EXPECT_TRUE(is_loopback(number) && number != "localhost") << number;
  EXPECT_EQ(*own_numbers("127.0.0.2"), (std::vector<std::string>{"127.0.0.2"}));
  EXPECT_EQ(*own_numbers("*"), (std::vector<std::string>{"*"}));
  EXPECT_EQ(*own_numbers("lo"), (std::vector<std::string>{"lo"})) << "an interface";
  // Numbers that documents use, and no machine has.
  EXPECT_EQ(own_numbers("203.0.113.9").status().what(),
            "cannot listen at 203.0.113.9: it is no address of this machine");
  EXPECT_EQ(own_numbers("no-such-host.invalid").status().code(), ExitCode::usage);
}

TEST(Address, TheNumberFromWhichALoopbackAddressIsReached) {
  EXPECT_EQ(*number_towards({"127.0.0.1", 9}), "127.0.0.1");
  EXPECT_EQ(*number_towards({"127.0.0.2", 9}), "127.0.0.1");
  EXPECT_TRUE(is_loopback(*number_towards({"localhost", 9})));
  EXPECT_EQ(number_towards({"no-such-host.invalid", 9}).status().code(), ExitCode::usage);
}

}  // namespace
}  // namespace rota
