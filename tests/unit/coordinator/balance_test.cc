// tests/unit/coordinator/balance_test.cc
#include "coordinator/balance.h"

#include <gtest/gtest.h>

#include "tests/unit/core/rounds/even_hosts.h"

namespace rota {
namespace {

using Seconds = std::map<std::uint32_t, double>;

TEST(Balance, OneThatIsSlowForLongIsSeen) {
  Balance balance;
  const ShardHosts hosts = tests::even_hosts(2, 8);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(balance.add({{0, 3}, {1, 1}}, hosts));
  const auto speeds = balance.add({{0, 3}, {1, 1}}, hosts);
  ASSERT_TRUE(speeds.has_value());
  EXPECT_DOUBLE_EQ(speeds->at(1) / speeds->at(0), 3);
  EXPECT_FALSE(balance.add({{0, 3}, {1, 1}}, hosts)) << "as long again";
}

TEST(Balance, ShortEpochsAreNotLong) {
  Balance balance;
  const ShardHosts hosts = tests::even_hosts(2, 8);
  int epochs = 0;
  while (!balance.add({{0, 0.3}, {1, 0.1}}, hosts)) ASSERT_LT(++epochs, 1000);
  EXPECT_GE((epochs + 1) * 0.3, Balance::kSpans * Balance::kSeconds);
}

// A short epoch says little: what slows a worker down may have missed it.
TEST(Balance, OneShortEpochThatIsAsItShouldBeChangesNothing) {
  Balance balance;
  const ShardHosts hosts = tests::even_hosts(2, 8);
  int epochs = 0;
  while (!balance.add(epochs % 5 == 0 ? Seconds{{0, 0.1}, {1, 0.1}} : Seconds{{0, 0.1}, {1, 0.3}}, hosts))
    ASSERT_LT(++epochs, 1000);
}

TEST(Balance, AnEpochThatIsAsItShouldBeBeginsAnew) {
  Balance balance;
  const ShardHosts hosts = tests::even_hosts(2, 8);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(balance.add({{0, 30}, {1, 10}}, hosts));
    EXPECT_FALSE(balance.add({{0, 10}, {1, 11}}, hosts));
  }
}

TEST(Balance, NothingIsGainedWhereNoShardCouldMove) {
  Balance balance;
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(balance.add({{0, 50}, {1, 10}}, tests::even_hosts(2, 2)));
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(balance.add({{0, 50}}, tests::even_hosts(1, 8)));
}

TEST(Balance, WhatIsNotWholeSaysNothing) {
  Balance balance;
  const ShardHosts hosts = tests::even_hosts(2, 8);
  for (int i = 0; i < 50; ++i)
    for (const Seconds& seconds : {Seconds{{0, 30}}, {{0, 30}, {1, 0}}, {{0, 30}, {7, 1}}, {}})
      EXPECT_FALSE(balance.add(seconds, hosts));
}

}  // namespace
}  // namespace rota
