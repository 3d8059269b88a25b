#include "core/rounds/shard_hosts.h"

#include "tests/unit/core/rounds/even_hosts.h"

namespace rota {
namespace {

using tests::even_hosts;

TEST(ShardHosts, EveryWorkerHostsARange) {
  for (std::uint32_t shards = 1; shards <= 20; ++shards)
    for (std::uint32_t workers = 1; workers <= shards; ++workers) {
      const ShardHosts hosts = even_hosts(workers, shards);
      std::vector<std::uint32_t> hosted(workers);
      std::uint32_t last = 0;
      for (ShardId s = 0; s < shards; ++s) {
        const std::uint32_t worker = hosts.worker_of(s);
        ASSERT_LT(worker, workers);
        EXPECT_GE(worker, last);
        EXPECT_TRUE(hosts.of(worker).contains(s));
        last = worker;
        ++hosted[worker];
      }
      for (std::uint32_t worker = 0; worker < workers; ++worker) {
        EXPECT_EQ(hosts.of(worker).size(), hosted[worker]);
        EXPECT_GE(hosted[worker], shards / workers);
        EXPECT_LE(hosted[worker], shards / workers + 1);
      }
    }
}

TEST(ShardHosts, WorkersHaveAnyNumbersInAnyOrder) {
  const std::uint32_t workers[] = {7, 0, 3};
  const ShardHosts hosts = ShardHosts::even(workers, 6);
  EXPECT_EQ(hosts.worker_of(0), 7U);
  EXPECT_EQ(hosts.worker_of(3), 0U);
  EXPECT_EQ(hosts.worker_of(5), 3U);
  EXPECT_EQ(hosts.of(1).size(), 0U) << "hosts nothing";
  EXPECT_EQ(hosts.workers(), (std::vector<std::uint32_t>{7, 0, 3}));
}

TEST(ShardHosts, WeightsAreProportionsWithAtLeastOneShard) {
  const std::uint32_t workers[] = {0, 1, 2};
  const auto sizes = [&](std::vector<double> weights, std::uint32_t shards) {
    const ShardHosts hosts = ShardHosts::weighted(workers, weights, shards);
    return std::vector<std::uint32_t>{hosts.of(0).size(), hosts.of(1).size(), hosts.of(2).size()};
  };
  EXPECT_EQ(sizes({1, 2, 1}, 8), (std::vector<std::uint32_t>{2, 4, 2}));
  EXPECT_EQ(sizes({1e-9, 1, 1e-9}, 8), (std::vector<std::uint32_t>{1, 6, 1}));
  EXPECT_EQ(sizes({1, 1e-9, 1e-9}, 3), (std::vector<std::uint32_t>{1, 1, 1}));
  EXPECT_EQ(sizes({1e300, 1e300, 1e300}, 9).size(), 3U);
}

TEST(ShardHosts, RangesInMessagesAreChecked) {
  EXPECT_TRUE(ShardHosts::from({{4, 2}, {1, 5}}, 5).ok());
  EXPECT_EQ(*ShardHosts::from({{0, 2}, {1, 4}}, 4), even_hosts(2, 4));
  for (const std::vector<ShardRange>& wrong :
       {std::vector<ShardRange>{}, {{0, 2}, {1, 4}}, {{0, 5}, {1, 5}}, {{0, 2}, {0, 5}}, {{0, 3}, {1, 2}, {2, 5}}})
    EXPECT_EQ(ShardHosts::from(wrong, 5).status().code(), ExitCode::bug);
}

}  // namespace
}  // namespace rota
