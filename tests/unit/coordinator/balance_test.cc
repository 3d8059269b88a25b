#include "coordinator/workforce.h"
#include "tests/unit/core/rounds/even_hosts.h"

namespace rota {
namespace {

using Seconds = std::map<std::uint32_t, double>;

TEST(Balance, APersistentlySlowWorkerIsDetected) {
  Balance balance;
  const ShardHosts hosts = tests::even_hosts(2, 8);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(balance.add({{0, 3}, {1, 1}}, hosts));
  const auto speeds = balance.add({{0, 3}, {1, 1}}, hosts);
  ASSERT_TRUE(speeds.has_value());
  EXPECT_DOUBLE_EQ(speeds->at(1) / speeds->at(0), 3);
  EXPECT_FALSE(balance.add({{0, 3}, {1, 1}}, hosts)) << "it counts from the start again";
}

// Slow with many shards, fast with one: shards move back and forth, but ever less often.
TEST(Balance, RepeatedMovesBackOff) {
  Balance balance;
  const std::vector<std::uint32_t> workers{0, 1};
  const ShardHosts even = tests::even_hosts(2, 8), one = ShardHosts::weighted(workers, std::vector<double>{1, 7}, 8);
  ASSERT_EQ(one.of(0).size(), 1U);
  bool many = true;
  std::vector<int> moves;
  for (int epoch = 0; epoch < 1000; ++epoch) {
    if (!balance.add(many ? Seconds{{0, 30}, {1, 10}} : Seconds{{0, 2}, {1, 18}}, many ? even : one)) continue;
    moves.push_back(epoch);
    many = !many;
    balance.clear();
  }
  ASSERT_EQ(moves.size(), 7U);
  for (std::size_t i = 2; i < moves.size(); ++i) EXPECT_GE(moves[i] - moves[i - 1], 2 * (moves[i - 1] - moves[i - 2]));
}

TEST(Balance, ShortEpochsAreNotLong) {
  Balance balance;
  const ShardHosts hosts = tests::even_hosts(2, 8);
  int epochs = 0;
  while (!balance.add({{0, 0.3}, {1, 0.1}}, hosts)) ASSERT_LT(++epochs, 1000);
  EXPECT_GE((epochs + 1) * 0.3, Balance::kSpans * Balance::kSeconds);
}

// A short epoch shows little: the cause of the slowdown may not have affected it.
TEST(Balance, OneNormalShortEpochChangesNothing) {
  Balance balance;
  const ShardHosts hosts = tests::even_hosts(2, 8);
  int epochs = 0;
  while (!balance.add(epochs % 5 == 0 ? Seconds{{0, 0.1}, {1, 0.1}} : Seconds{{0, 0.1}, {1, 0.3}}, hosts))
    ASSERT_LT(++epochs, 1000);
}

TEST(Balance, ANormalEpochResetsTheCount) {
  Balance balance;
  const ShardHosts hosts = tests::even_hosts(2, 8);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(balance.add({{0, 30}, {1, 10}}, hosts));
    EXPECT_FALSE(balance.add({{0, 10}, {1, 11}}, hosts));
  }
}

TEST(Balance, WithoutMovableShardsNothingMoves) {
  Balance balance;
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(balance.add({{0, 50}, {1, 10}}, tests::even_hosts(2, 2)));
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(balance.add({{0, 50}}, tests::even_hosts(1, 8)));
}

TEST(Balance, IncompleteTimesAreIgnored) {
  Balance balance;
  const ShardHosts hosts = tests::even_hosts(2, 8);
  for (int i = 0; i < 50; ++i)
    for (const Seconds& seconds : {Seconds{{0, 30}}, {{0, 30}, {1, 0}}, {{0, 30}, {7, 1}}, {}})
      EXPECT_FALSE(balance.add(seconds, hosts));
}

}  // namespace
}  // namespace rota
