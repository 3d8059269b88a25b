#include "rota/schedules/rotation.h"

namespace rota {
namespace {

Job job_of(std::uint32_t shards, std::uint32_t per_shard) {
  Job job;
  job.shards = shards;
  job.slices = shards * per_shard;
  return job;
}

std::vector<Round> epoch_of(RotationSchedule& schedule) {
  Random random({1, 2, 3, 4});
  std::vector<Round> rounds;
  do rounds.push_back(schedule.next(random));
  while (!rounds.back().ends_epoch && rounds.size() < 1000);
  return rounds;
}

TEST(Rotation, NoSliceIsWithTwoShardsAndEachMeetsEachOnce) {
  for (std::uint32_t shards = 1; shards <= 9; ++shards)
    for (std::uint32_t per_shard = 1; per_shard <= 4; ++per_shard) {
      RotationSchedule schedule(job_of(shards, per_shard));
      for (int epoch = 0; epoch < 2; ++epoch) {
        const auto rounds = epoch_of(schedule);
        ASSERT_EQ(rounds.size(), shards * per_shard);
        std::set<std::pair<ShardId, SliceId>> met;
        for (const Round& round : rounds) {
          ASSERT_EQ(round.owned.size(), shards);
          std::set<SliceId> taken;
          for (ShardId s = 0; s < shards; ++s) {
            ASSERT_TRUE(round.owned[s].has_value());
            ASSERT_LT(*round.owned[s], shards * per_shard);
            EXPECT_TRUE(taken.insert(*round.owned[s]).second) << "two shards hold one slice";
            EXPECT_TRUE(met.emplace(s, *round.owned[s]).second) << "met twice in an epoch";
          }
        }
        EXPECT_EQ(met.size(), shards * shards * per_shard);
      }
    }
}

TEST(Rotation, ASliceMovesToThePreviousShardOnTime) {
  const std::uint32_t shards = 5, per_shard = 3;
  RotationSchedule schedule(job_of(shards, per_shard));
  std::vector<Round> rounds = epoch_of(schedule);
  const auto second = epoch_of(schedule);
  rounds.insert(rounds.end(), second.begin(), second.end());
  std::map<SliceId, std::pair<std::size_t, ShardId>> last;
  for (std::size_t step = 0; step < rounds.size(); ++step)
    for (ShardId s = 0; s < shards; ++s) {
      const SliceId slice = *rounds[step].owned[s];
      if (const auto before = last.find(slice); before != last.end()) {
        EXPECT_EQ(step - before->second.first, per_shard);
        EXPECT_EQ(s, (before->second.second + shards - 1) % shards);
      }
      last[slice] = {step, s};
    }
}

TEST(Rotation, WithTotalsAnEpochEndsWithASharedRound) {
  RotationSchedule schedule(job_of(3, 2), {4, {0, 1}, 10});
  Census census(20, 1);
  census[7] = 1000;
  const Cut cut = schedule.cut(census, 6);
  EXPECT_EQ(cut.replicated, (std::vector<Key>{7}));
  const auto rounds = epoch_of(schedule);
  ASSERT_EQ(rounds.size(), 7U);
  EXPECT_TRUE(rounds[5].shared.empty());
  EXPECT_FALSE(rounds[5].ends_epoch);
  EXPECT_TRUE(rounds[6].owned.empty());
  EXPECT_EQ(rounds[6].table, 4U);
  EXPECT_EQ(rounds[6].shared, (std::vector<Key>{0, 1, 17}));
  EXPECT_EQ(epoch_of(schedule).size(), 7U);
}

TEST(BalancedCut, EveryKeyIsInOneSliceOrReplicated) {
  Census weight;
  for (std::uint64_t key = 0; key < 500; ++key) weight.push_back(10000 / (key + 1));
  for (const bool replicate : {false, true}) {
    const Cut cut = balanced_cut(weight, 8, replicate);
    ASSERT_EQ(cut.slices.size(), 8U);
    std::set<Key> seen(cut.replicated.begin(), cut.replicated.end());
    EXPECT_EQ(seen.size(), cut.replicated.size());
    EXPECT_EQ(seen.empty(), !replicate);
    for (const auto& keys : cut.slices) {
      EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
      for (const Key key : keys) EXPECT_TRUE(seen.insert(key).second) << key;
    }
    EXPECT_EQ(seen.size(), weight.size());
    EXPECT_TRUE(std::is_sorted(cut.replicated.begin(), cut.replicated.end()));
  }
}

TEST(BalancedCut, SlicesHaveNearlyTheSameWork) {
  Census weight;
  for (std::uint64_t key = 0; key < 5000; ++key) weight.push_back(100000 / (key + 1));
  const Cut cut = balanced_cut(weight, 16, true);
  std::vector<std::uint64_t> work;
  for (const auto& keys : cut.slices) {
    work.push_back(0);
    for (const Key key : keys) work.back() += weight[key] + 1;
  }
  const auto [least, most] = std::minmax_element(work.begin(), work.end());
  EXPECT_LT(static_cast<double>(*most), 1.01 * static_cast<double>(*least));
}

TEST(BalancedCut, OnlyARowHeavierThanAnEvenSliceIsReplicated) {
  // 100 of 200: heavier than 200 / 4.  Without it, 40 of 100 is heavier than 100 / 4; then 12 of 60 is not.
  const Census weight = {100, 40, 12, 12, 12, 12, 12};
  EXPECT_EQ(balanced_cut(weight, 4, true).replicated, (std::vector<Key>{0, 1}));
  EXPECT_TRUE(balanced_cut(weight, 4, false).replicated.empty());
  EXPECT_TRUE(balanced_cut(weight, 1, true).replicated.empty());
}

TEST(BalancedCut, RowsWithoutWorkAreSpreadToo) {
  const Cut cut = balanced_cut(Census(12, 0), 4, true);
  for (const auto& keys : cut.slices) EXPECT_EQ(keys.size(), 3U);
}

TEST(BalancedCut, MoreSlicesThanRowsLeavesSomeEmpty) {
  const Cut cut = balanced_cut({5, 5}, 4, false);
  std::size_t rows = 0;
  for (const auto& keys : cut.slices) rows += keys.size();
  EXPECT_EQ(rows, 2U);
  EXPECT_EQ(cut.slices.size(), 4U);
  EXPECT_EQ(balanced_cut({}, 3, true).slices.size(), 3U);
}

}  // namespace
}  // namespace rota
