#include "rota/exchange/sparse_allreduce.h"

#include "rota/exchange/dataflows.h"
#include "rota/exchange/exchange_push.h"
#include "tests/unit/rota/all_steps.h"

namespace rota {
namespace {

struct Want {
  std::vector<Key> adds, wants;
};

// Keys with the distribution of words in text: a few are in all shards.
std::vector<Want> drawn_keys(std::uint32_t shards, std::uint64_t keys, std::size_t draws, std::mt19937_64& random) {
  std::vector<Want> all(shards);
  for (Want& one : all)
    for (auto* const list : {&one.adds, &one.wants}) {
      std::set<Key> drawn;
      for (std::size_t i = 0; i < draws; ++i)
        drawn.insert(static_cast<Key>(
                         std::pow(static_cast<double>(keys), std::uniform_real_distribution<double>(0, 1)(random))) -
                     1);
      list->assign(drawn.begin(), drawn.end());
      std::shuffle(list->begin(), list->end(), random);
    }
  return all;
}

class Cluster {
 public:
  Cluster(const std::vector<Want>& wants, const std::vector<std::uint32_t>& degrees) : flow_(nested_dataflow(degrees)) {
    for (ShardId s = 0; s < wants.size(); ++s) {
      shards_.emplace_back(s, degrees);
      shards_[s].configure(wants[s].adds, wants[s].wants);
    }
  }
  // One round; returns the bytes sent.
  std::size_t reduce(const std::vector<std::vector<double>>& values) {
    for (std::size_t s = 0; s < shards_.size(); ++s) shards_[s].begin(values[s]);
    const auto bytes = tests::all_steps(
        flow_, [&](ShardId s, std::uint32_t step, Outgoing& out) { shards_[s].scatter(step, out); },
        [&](ShardId s, std::uint32_t step, auto& in) { shards_[s].gather(step, in); });
    return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0});
  }
  SparseAllreduce& shard(std::size_t s) { return shards_[s]; }

 private:
  Dataflow flow_;
  std::vector<SparseAllreduce> shards_;
};

std::vector<std::vector<double>> drawn_values(const std::vector<Want>& wants, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> values;
  for (const Want& one : wants) {
    values.emplace_back();
    for (std::size_t i = 0; i < one.adds.size(); ++i) values.back().push_back(normal(random));
  }
  return values;
}

// The same by NestedSum of dense vectors, along the same dataflow.
std::vector<double> dense_sum(const std::vector<Want>& wants, const std::vector<std::vector<double>>& values,
                              const std::vector<std::uint32_t>& degrees, std::uint64_t keys) {
  std::vector<std::vector<double>> replicas(wants.size(), std::vector<double>(keys));
  for (std::size_t s = 0; s < wants.size(); ++s)
    for (std::size_t i = 0; i < values[s].size(); ++i) replicas[s][wants[s].adds[i]] = values[s][i];
  tests::exchange(NestedSum(degrees), nested_dataflow(degrees), replicas);
  return replicas[0];
}

constexpr std::uint64_t kKeys = 3000;

TEST(SparseAllreduce, IsTheDenseSumToTheLastBit) {
  std::mt19937_64 random(1);
  for (const std::vector<std::uint32_t>& degrees :
       {std::vector<std::uint32_t>{2}, {3}, {2, 2}, {3, 2}, {4, 2, 2}, {16}, {5, 3}}) {
    std::uint32_t shards = 1;
    for (const std::uint32_t d : degrees) shards *= d;
    const std::vector<Want> wants = drawn_keys(shards, kKeys, 300, random);
    Cluster cluster(wants, degrees);
    std::size_t first = 0;
    for (int round = 0; round < 3; ++round) {
      const auto values = drawn_values(wants, random);
      const std::size_t bytes = cluster.reduce(values);
      const std::vector<double> sum = dense_sum(wants, values, degrees, kKeys);
      for (std::size_t s = 0; s < shards; ++s)
        for (std::size_t i = 0; i < wants[s].wants.size(); ++i)
          ASSERT_EQ(cluster.shard(s).sums()[i], sum[wants[s].wants[i]]) << "shard " << s << " of " << shards;
      if (round == 0)
        first = bytes;
      else
        EXPECT_LT(bytes, first) << "keys are sent once";
    }
  }
}

TEST(SparseAllreduce, OneShardHasItsOwnSums) {
  Cluster one({{{7, 3}, {3, 5}}}, {});
  one.reduce({{1.5, 2.5}});
  EXPECT_EQ(std::vector(one.shard(0).sums().begin(), one.shard(0).sums().end()), (std::vector<double>{2.5, 0}));
}

TEST(SparseAllreduce, KeysMayChangeIfAllConfigureAgain) {
  std::mt19937_64 random(2);
  std::vector<Want> wants = drawn_keys(6, kKeys, 50, random);
  Cluster cluster(wants, {3, 2});
  cluster.reduce(drawn_values(wants, random));
  wants = drawn_keys(6, kKeys, 80, random);
  for (std::size_t s = 0; s < 6; ++s) cluster.shard(s).configure(wants[s].adds, wants[s].wants);
  const auto values = drawn_values(wants, random);
  cluster.reduce(values);
  const std::vector<double> sum = dense_sum(wants, values, {3, 2}, kKeys);
  for (std::size_t s = 0; s < 6; ++s)
    for (std::size_t i = 0; i < wants[s].wants.size(); ++i)
      ASSERT_EQ(cluster.shard(s).sums()[i], sum[wants[s].wants[i]]);
}

TEST(SparseAllreduce, WhatDoesNotFitIsRefused) {
  SparseAllreduce one(0, {2});
  EXPECT_THROW(one.configure(std::vector<Key>{4, 4}, {}), std::invalid_argument);
  one.configure(std::vector<Key>{4}, std::vector<Key>{4});
  EXPECT_THROW(one.begin(std::vector<double>{1, 2}), std::logic_error);
  one.begin(std::vector<double>{1});
  const ShardId receivers[] = {1};
  Outgoing out(receivers);
  one.scatter(0, out);
  const Incoming in[] = {{1, Bytes::from(std::vector<std::byte>(3))}};
  EXPECT_THROW(one.gather(0, in), std::runtime_error);
}

}  // namespace
}  // namespace rota
