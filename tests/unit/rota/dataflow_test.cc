#include "rota/exchange/dataflows.h"

namespace rota {
namespace {

std::size_t senders_of(const Dataflow& flow, std::size_t step, ShardId shard) {
  std::size_t count = 0;
  for (const auto& receivers : flow.steps[step])
    count += static_cast<std::size_t>(std::count(receivers.begin(), receivers.end(), shard));
  return count;
}

// The shards that information of shard `from` reaches by all steps of these flows in turn.
std::set<ShardId> reached(ShardId from, const std::vector<Dataflow>& flows) {
  std::set<ShardId> knows = {from};
  for (const Dataflow& flow : flows)
    for (const auto& step : flow.steps) {
      std::set<ShardId> after = knows;
      for (const ShardId s : knows) after.insert(step[s].begin(), step[s].end());
      knows = after;
    }
  return knows;
}

TEST(Dataflow, AllSendsToAllOthers) {
  const Dataflow flow = all_dataflow(4);
  ASSERT_EQ(flow.steps.size(), 1U);
  EXPECT_EQ(flow.steps[0][2], (std::vector<ShardId>{0, 1, 3}));
  EXPECT_TRUE(all_dataflow(1).steps[0][0].empty());
}

// MALT's example: of 8 shards to those 4, 2 and 6 away.
TEST(Dataflow, HaltonSendsToLogarithmicallyMany) {
  EXPECT_EQ(halton_dataflow(8).steps[0][0], (std::vector<ShardId>{2, 4, 6}));
  EXPECT_EQ(halton_dataflow(8).steps[0][3], (std::vector<ShardId>{1, 5, 7}));
  for (std::uint32_t shards = 1; shards <= 40; ++shards) {
    const Dataflow flow = halton_dataflow(shards);
    std::uint32_t log = 0;
    while ((1U << log) < shards) ++log;
    for (ShardId s = 0; s < shards; ++s) {
      EXPECT_EQ(flow.steps[0][s].size(), log) << shards;
      EXPECT_EQ(senders_of(flow, 0, s), log) << shards;
    }
  }
}

TEST(Dataflow, MixingReachesAllInOneCycle) {
  EXPECT_EQ(mixing_dataflow(8, 1).steps[0][5], (std::vector<ShardId>{7}));
  for (std::uint32_t shards = 2; shards <= 40; ++shards) {
    std::vector<Dataflow> cycle;
    for (std::uint32_t t = 0; t < mixing_rounds(shards); ++t) {
      cycle.push_back(mixing_dataflow(shards, t));
      for (ShardId s = 0; s < shards; ++s) EXPECT_EQ(senders_of(cycle.back(), 0, s), 1U) << shards;
    }
    for (ShardId s = 0; s < shards; ++s) EXPECT_EQ(reached(s, cycle).size(), shards) << shards;
  }
}

TEST(Dataflow, ATreeGoesUpToTheFirstShardAndBack) {
  const Dataflow flow = tree_dataflow(5);
  ASSERT_EQ(flow.steps.size(), 6U);
  EXPECT_EQ(flow.steps[0][1], (std::vector<ShardId>{0}));
  EXPECT_EQ(flow.steps[0][3], (std::vector<ShardId>{2}));
  EXPECT_EQ(flow.steps[1][2], (std::vector<ShardId>{0}));
  EXPECT_EQ(flow.steps[2][4], (std::vector<ShardId>{0}));
  EXPECT_EQ(flow.steps[3][0], (std::vector<ShardId>{4}));
  EXPECT_EQ(flow.steps[5][0], (std::vector<ShardId>{1}));
  for (std::uint32_t shards = 2; shards <= 20; ++shards)
    for (ShardId s = 0; s < shards; ++s) EXPECT_EQ(reached(s, {tree_dataflow(shards)}).size(), shards) << shards;
}

TEST(Dataflow, DegreesAreThePrimeFactors) {
  EXPECT_EQ(prime_degrees(1), std::vector<std::uint32_t>());
  EXPECT_EQ(prime_degrees(12), (std::vector<std::uint32_t>{3, 2, 2}));
  EXPECT_EQ(prime_degrees(7), (std::vector<std::uint32_t>{7}));
  for (std::uint32_t n = 2; n <= 500; ++n) {
    const auto degrees = prime_degrees(n);
    EXPECT_EQ(std::accumulate(degrees.begin(), degrees.end(), 1U, std::multiplies<>()), n);
  }
}

TEST(Dataflow, ANestedButterflySendsWithinGroups) {
  const Dataflow flow = nested_dataflow({3, 2});
  ASSERT_EQ(flow.steps.size(), 4U);
  EXPECT_EQ(flow.steps[0][4], (std::vector<ShardId>{3, 5}));
  EXPECT_EQ(flow.steps[1][4], (std::vector<ShardId>{1}));
  EXPECT_EQ(flow.steps[2], flow.steps[1]);
  EXPECT_EQ(flow.steps[3], flow.steps[0]);
  for (ShardId s = 0; s < 6; ++s) EXPECT_EQ(reached(s, {flow}).size(), 6U);
}

}  // namespace
}  // namespace rota
