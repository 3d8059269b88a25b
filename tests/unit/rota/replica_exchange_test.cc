#include "rota/exchange/replica_exchange.h"

#include "rota/exchange/dataflows.h"
#include "rota/exchange/exchange_push.h"
#include "tests/unit/rota/all_steps.h"

namespace rota {
namespace {

using tests::exchange;

using Replicas = std::vector<std::vector<double>>;

Replicas drawn_replicas(std::size_t shards, std::size_t size) {
  std::mt19937_64 random(shards * 1000 + size);
  std::normal_distribution<double> normal;
  Replicas replicas(shards, std::vector<double>(size));
  for (auto& replica : replicas)
    for (double& x : replica) x = normal(random);
  return replicas;
}

std::vector<double> mean_of(const Replicas& replicas) {
  std::vector<double> mean(replicas[0].size());
  for (const auto& replica : replicas)
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += replica[i] / static_cast<double>(replicas.size());
  return mean;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12);
}

TEST(ReplicaExchange, ATreeLeavesTheSumEverywhere) {
  for (std::uint32_t shards = 1; shards <= 13; ++shards) {
    Replicas replicas = drawn_replicas(shards, 5);
    std::vector<double> sum = mean_of(replicas);
    for (double& x : sum) x *= shards;
    exchange(TreeSum(shards), tree_dataflow(shards), replicas);
    expect_near(replicas[0], sum);
    for (const auto& replica : replicas) EXPECT_EQ(replica, replicas[0]);
  }
}

// The sum of a tree of groups: ((0 + a) + b) + ... in each, layer after layer.
double nested_sum(const Replicas& replicas, const std::vector<std::uint32_t>& degrees, std::size_t i) {
  std::vector<double> level(replicas.size());
  for (std::size_t s = 0; s < replicas.size(); ++s) level[s] = replicas[s][i];
  for (const std::uint32_t d : degrees) {  // the first layer's groups are neighbours
    std::vector<double> next;
    for (std::size_t first = 0; first < level.size(); first += d)
      next.push_back(std::accumulate(level.begin() + static_cast<std::ptrdiff_t>(first),
                                     level.begin() + static_cast<std::ptrdiff_t>(first + d), 0.0));
    level = next;
  }
  return level[0];
}

TEST(ReplicaExchange, AButterflyLeavesTheSumEverywhereToTheLastBit) {
  for (const std::vector<std::uint32_t>& degrees :
       {std::vector<std::uint32_t>{}, {2}, {3}, {2, 2}, {3, 2}, {7}, {4, 3}, {2, 2, 2}, {5, 3, 2}}) {
    const auto shards = std::accumulate(degrees.begin(), degrees.end(), 1U, std::multiplies<>());
    for (const std::size_t size : {0U, 1U, 3U, 100U}) {
      Replicas replicas = drawn_replicas(shards, size);
      const Replicas before = replicas;
      const auto bytes = exchange(NestedSum(degrees), nested_dataflow(degrees), replicas);
      for (std::size_t i = 0; i < size; ++i) {
        EXPECT_EQ(replicas[0][i], degrees.empty() ? before[0][i] : nested_sum(before, degrees, i));
        for (const auto& replica : replicas) EXPECT_EQ(replica[i], replicas[0][i]);
      }
      // The lower bound for a shard is 2 (1 - 1/S) vectors, except for the rounding of ranges.
      for (const std::size_t b : bytes)
        EXPECT_LE(static_cast<double>(b), 16.0 * (1 - 1.0 / shards) * static_cast<double>(size) + 16.0 * shards);
    }
  }
}

TEST(ReplicaExchange, MixingKeepsTheMeanAndBringsAllToIt) {
  for (const std::uint32_t shards : {2U, 4U, 5U, 8U, 12U}) {
    Replicas replicas = drawn_replicas(shards, 4);
    const std::vector<double> mean = mean_of(replicas);
    for (std::uint32_t t = 0; t < mixing_rounds(shards); ++t) {
      exchange(Averaging(), mixing_dataflow(shards, t), replicas);
      expect_near(mean_of(replicas), mean);
    }
    if ((shards & (shards - 1)) == 0)
      for (const auto& replica : replicas) expect_near(replica, mean);
  }
}

TEST(ReplicaExchange, AMessageOfAnotherSizeIsRefused) {
  std::vector<double> replica(3);
  const Incoming in[] = {{1, Bytes::from(std::vector<std::byte>(16))}};
  EXPECT_THROW(Averaging().gather(0, replica, 0, in), std::runtime_error);
  EXPECT_THROW(TreeSum(2).gather(0, replica, 0, in), std::runtime_error);
  EXPECT_THROW(NestedSum({2}).gather(0, replica, 0, in), std::runtime_error);
}

}  // namespace
}  // namespace rota
