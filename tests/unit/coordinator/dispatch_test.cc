// tests/unit/coordinator/dispatch_test.cc
#include "coordinator/dispatch.h"

#include <gtest/gtest.h>

#include <set>

#include "rota/rotation.h"
#include "wire/placement.h"

namespace rota {
namespace {

Round owning(std::vector<std::optional<SliceId>> slices, bool ends_epoch = false) {
  Round round;
  round.owned = std::move(slices);
  round.ends_epoch = ends_epoch;
  return round;
}

Round sharing(std::vector<Key> keys, bool ends_epoch = false) {
  Round round;
  round.table = 2;
  round.shared = std::move(keys);
  round.ends_epoch = ends_epoch;
  return round;
}

TEST(Dispatch, ARoundThatBreaksTheRulesIsRefusedByName) {
  Dispatch dispatch(3, 6, 2, 2);
  const auto why = [&](Round round) {
    const Status status = dispatch.add(7, std::move(round), 1);
    EXPECT_EQ(status.code(), ExitCode::failed);
    return status.what();
  };
  EXPECT_EQ(why({}), "schedule, round 7: neither shared rows nor owned slices");
  EXPECT_EQ(why(owning({1, 4, 1})), "schedule, round 7: slice 1 is given to two shards");
  EXPECT_EQ(why(owning({1, 6, 2})), "schedule, round 7: no slice 6");
  EXPECT_EQ(why(owning({1, 2})), "schedule, round 7: slices for 2 of 3 shards");
  EXPECT_EQ(why(sharing({4, 2, 4})), "schedule, round 7: a shared row is named twice");
  EXPECT_EQ(dispatch.front(), nullptr) << "nothing of it is kept";
}

TEST(Dispatch, TasksGoToTheWorkersThatHostTheShards) {
  Dispatch dispatch(4, 4, 2, 1);
  ASSERT_TRUE(dispatch.add(1, owning({0, 1, std::nullopt, 3}, true), 5).ok());
  ASSERT_NE(dispatch.front(), nullptr);
  EXPECT_EQ(dispatch.front()->id, 1U);
  dispatch.give_out();
  auto tasks = dispatch.take_tasks();
  ASSERT_EQ(tasks.size(), 2U);
  ASSERT_EQ(tasks[0].tasks.size(), 2U);
  EXPECT_EQ(tasks[0].tasks[1].shard, 1U);
  EXPECT_EQ(tasks[0].tasks[1].slice, 1U);
  EXPECT_EQ(tasks[0].tasks[1].epoch, 5U);
  EXPECT_FALSE(tasks[0].tasks[1].shared);
  ASSERT_EQ(tasks[1].tasks.size(), 2U) << "a shard without a slice ends its epoch too";
  EXPECT_FALSE(tasks[1].tasks[0].slice.has_value());
  EXPECT_TRUE(tasks[1].tasks[0].ends_epoch);
  EXPECT_TRUE(dispatch.take_tasks().empty());
  EXPECT_TRUE(dispatch.take_expects().empty());
}

// Every slice is handed on by the worker that has it, from the round that had it last.
TEST(Dispatch, HandoversFollowEverySliceOnItsWay) {
  const std::uint32_t shards = 5, slices = 10, workers = 2;
  Job job;
  job.shards = shards;
  job.slices = slices;
  RotationSchedule schedule(job);
  Random random({1, 2, 3, 4});
  Dispatch dispatch(shards, slices, workers, 1);
  struct At {
    RoundId round = 0;
    ShardId shard = 0;
  };
  std::vector<At> at(slices);
  for (SliceId b = 0; b < slices; ++b) at[b].shard = home_shard(b, shards, slices);
  for (RoundId id = 1; id <= 3 * slices; ++id) {
    const Round round = schedule.next(random);
    ASSERT_TRUE(dispatch.add(id, round, 1).ok());
    dispatch.give_out();
    std::set<SliceId> moved;
    for (const auto& [worker, tasks] : dispatch.take_tasks())
      for (const Handover& handover : tasks.handovers) {
        At& last = at[handover.slice];
        EXPECT_EQ(worker, worker_of_shard(last.shard, shards, workers));
        EXPECT_EQ(handover.after, last.round);
        EXPECT_EQ(handover.to, id);
        EXPECT_EQ(round.owned[handover.shard], handover.slice);
        EXPECT_TRUE(moved.insert(handover.slice).second);
        last = {id, handover.shard};
      }
    EXPECT_EQ(moved.size(), shards);
  }
}

TEST(Dispatch, SharedRowsGoToAllWorkersAndEachPartitionExpectsItsOwn) {
  const std::uint32_t partitions = 3;
  Dispatch dispatch(2, 0, 2, partitions);
  const std::vector<Key> keys = {12, 3, 40, 7, 8};
  ASSERT_TRUE(dispatch.add(4, sharing(keys), 1).ok());
  dispatch.give_out();
  std::vector<Key> expected;
  for (const auto& [partition, expect] : dispatch.take_expects()) {
    EXPECT_EQ(expect.rows.round, 4U);
    EXPECT_EQ(expect.rows.table, 2U);
    std::vector<Key> own;
    for (const Key key : keys)
      if (partition_of_row(2, key, partitions) == partition) own.push_back(key);
    EXPECT_EQ(expect.rows.keys, own) << "in the order of the round";
    expected.insert(expected.end(), own.begin(), own.end());
  }
  EXPECT_EQ(expected.size(), keys.size());
  auto tasks = dispatch.take_tasks();
  for (std::uint32_t w = 0; w < 2; ++w) {
    ASSERT_EQ(tasks[w].shared.size(), 1U);
    EXPECT_EQ(tasks[w].shared[0].keys, keys);
    ASSERT_EQ(tasks[w].tasks.size(), 1U);
    EXPECT_TRUE(tasks[w].tasks[0].shared);
  }
}

TEST(Dispatch, RoundsAreDoneInTheirOrder) {
  Dispatch dispatch(1, 1, 1, 1);
  ASSERT_TRUE(dispatch.add(1, sharing({1}), 1).ok());
  ASSERT_TRUE(dispatch.add(2, sharing({2}), 1).ok());
  ASSERT_TRUE(dispatch.add(3, owning({0}, true), 1).ok());
  ASSERT_TRUE(dispatch.add(4, owning({0}, true), 2).ok());
  for (int i = 0; i < 4; ++i) dispatch.give_out();
  EXPECT_EQ(dispatch.take_done(), 0U);
  EXPECT_TRUE(dispatch.committed(2, 0));
  EXPECT_EQ(dispatch.take_done(), 0U) << "the one before it is not done";
  EXPECT_TRUE(dispatch.committed(1, 0));
  EXPECT_EQ(dispatch.take_done(), 2U);
  EXPECT_EQ(dispatch.take_done(), 0U);
  dispatch.epoch_done(1);
  EXPECT_EQ(dispatch.take_done(), 3U);
  dispatch.epoch_done(2);
  EXPECT_EQ(dispatch.take_done(), 4U);
}

TEST(Dispatch, ACommitThatIsNotDueIsRefused) {
  Dispatch dispatch(1, 1, 1, 2);
  ASSERT_TRUE(dispatch.add(1, sharing({1}), 1).ok());
  EXPECT_FALSE(dispatch.committed(1, 0)) << "not given out yet";
  dispatch.give_out();
  const std::uint32_t home = partition_of_row(2, 1, 2);
  EXPECT_FALSE(dispatch.committed(1, 1 - home)) << "it has no rows of it";
  EXPECT_FALSE(dispatch.committed(2, home));
  EXPECT_TRUE(dispatch.committed(1, home));
  EXPECT_FALSE(dispatch.committed(1, home)) << "twice";
}

}  // namespace
}  // namespace rota
