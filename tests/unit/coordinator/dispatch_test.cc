#include "coordinator/dispatch.h"

#include "core/rounds/placement.h"
#include "rota/schedules/rotation.h"
#include "tests/unit/core/rounds/even_hosts.h"
#include "tests/unit/core/rounds/small_rounds.h"

namespace rota {
namespace {

using tests::kApart;
using tests::owning;
using tests::sharing;

constexpr TableId kTogether = 3;

std::vector<Table> tables() {
  return {{"first", Table::Kind::shared, 10, 1, 1},
          {"slices", Table::Kind::sliced, 10, 0, 0},
          {"apart", Table::Kind::shared, 100, 1, 1},
          {"together", Table::Kind::shared, 100, 1, 1, 1, true}};
}

// The only scheduler's turn.
Turns::Turn turn_of(RoundId id, Round round) {
  return {std::move(round), 0, id, std::nullopt};
}

void give_out(Dispatch& dispatch, RoundId id, Turns::Turn turn, Epoch epoch = 1) {
  const Status status = dispatch.add(id, std::move(turn), epoch);
  ASSERT_TRUE(status.ok()) << status.what();
  dispatch.give_out();
}

TEST(Dispatch, ARoundThatBreaksTheRulesIsRefusedByName) {
  Dispatch dispatch(tests::even_hosts(2, 3), 3, 6, 2, tables());
  EXPECT_EQ(dispatch.add(7, turn_of(7, owning({1, 4, 1})), 1).what(),
            "schedule, round 7: slice 1 is given to two shards");
  EXPECT_EQ(dispatch.front(), nullptr) << "nothing of it is kept";
}

TEST(Dispatch, TasksGoToTheWorkersThatHostTheShards) {
  Dispatch dispatch(tests::even_hosts(2, 4), 4, 4, 1, {});
  ASSERT_TRUE(dispatch.add(1, turn_of(1, owning({0, 1, std::nullopt, 3}, true)), 5).ok());
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

TEST(Dispatch, AnExchangeIsATaskOfEveryShardAndOfNoPartition) {
  Dispatch dispatch(tests::even_hosts(2, 3), 3, 0, 2, tables());
  Round round;
  round.dataflow = 4;
  round.argument = Argument(0.5);
  ASSERT_TRUE(dispatch.add(1, turn_of(1, round), 2).ok());
  dispatch.give_out();
  auto tasks = dispatch.take_tasks();
  ASSERT_EQ(tasks[0].tasks.size() + tasks[1].tasks.size(), 3U);
  EXPECT_EQ(tasks[1].tasks[0].dataflow, 4U);
  EXPECT_EQ(tasks[1].tasks[0].argument, Argument(0.5));
  EXPECT_FALSE(tasks[1].tasks[0].shared);
  EXPECT_TRUE(dispatch.take_expects().empty());
}

// The worker that holds a slice hands it over, after the last round that used it.
TEST(Dispatch, HandoversFollowEverySliceOnItsWay) {
  const std::uint32_t shards = 5, slices = 10, workers = 2;
  Job job;
  job.shards = shards;
  job.slices = slices;
  RotationSchedule schedule(job);
  Random random({1, 2, 3, 4});
  Dispatch dispatch(tests::even_hosts(workers, shards), shards, slices, 1, {});
  struct At {
    RoundId round = 0;
    ShardId shard = 0;
  };
  std::vector<At> at(slices);
  for (SliceId b = 0; b < slices; ++b) at[b].shard = home_shard(b, shards, slices);
  for (RoundId id = 1; id <= 3 * slices; ++id) {
    const Round round = schedule.next(random);
    give_out(dispatch, id, turn_of(id, round));
    std::set<SliceId> moved;
    for (const auto& [worker, tasks] : dispatch.take_tasks())
      for (const Handover& handover : tasks.handovers) {
        At& last = at[handover.slice];
        EXPECT_EQ(worker, tests::even_hosts(workers, shards).worker_of(last.shard));
        EXPECT_EQ(handover.after, last.round);
        EXPECT_EQ(handover.to, id);
        EXPECT_EQ(round.owned[handover.shard], handover.slice);
        EXPECT_TRUE(moved.insert(handover.slice).second);
        last = {id, handover.shard};
      }
    EXPECT_EQ(moved.size(), shards);
  }
}

TEST(Dispatch, SharedRowsGoToAllWorkersAndTheirPartitions) {
  const std::uint32_t partitions = 3;
  Dispatch dispatch(tests::even_hosts(2, 2), 2, 0, partitions, tables());
  const std::vector<Key> keys = {12, 3, 40, 7, 8};
  Round round = sharing(keys);
  round.argument = Argument(0.5);
  give_out(dispatch, 4, turn_of(4, round));
  std::vector<Key> expected;
  for (const auto& [partition, expect] : dispatch.take_expects()) {
    EXPECT_EQ(expect.rows.round, 4U);
    EXPECT_EQ(expect.rows.table, kApart);
    EXPECT_EQ(expect.rows.argument, round.argument);
    EXPECT_FALSE(expect.awaited_by.has_value());
    std::vector<Key> own;
    for (const Key key : keys)
      if (partition_of_row(kApart, key, partitions) == partition) own.push_back(key);
    EXPECT_EQ(expect.rows.keys, own) << "in the order of the round";
    expected.insert(expected.end(), own.begin(), own.end());
  }
  EXPECT_EQ(expected.size(), keys.size());
  auto tasks = dispatch.take_tasks();
  for (std::uint32_t w = 0; w < 2; ++w) {
    ASSERT_EQ(tasks[w].shared.size(), 1U);
    EXPECT_EQ(tasks[w].shared[0].keys, keys);
    EXPECT_EQ(tasks[w].shared[0].argument, round.argument);
    ASSERT_EQ(tasks[w].tasks.size(), 1U);
    EXPECT_TRUE(tasks[w].tasks[0].shared);
  }
}

TEST(Dispatch, ARoundWithoutRowsAndSlicesIsASharedOneOfItsTable) {
  Dispatch dispatch(tests::even_hosts(1, 2), 2, 0, 3, tables());
  give_out(dispatch, 1, turn_of(1, sharing({}, kTogether)));
  const auto expects = dispatch.take_expects();
  ASSERT_EQ(expects.size(), 1U);
  EXPECT_EQ(expects[0].first, kSinglePartition);
  EXPECT_TRUE(expects[0].second.rows.keys.empty());
  const auto tasks = dispatch.take_tasks();
  EXPECT_EQ(tasks.at(0).tasks.size(), 2U);
  EXPECT_TRUE(tasks.at(0).tasks[0].shared);
}

TEST(Dispatch, AnOpenRoundIsExpectedInAllPartitionsOfItsTable) {
  std::vector<Table> all = tables();
  all[kApart].dense = all[kTogether].dense = true;
  Dispatch dispatch(tests::even_hosts(2, 3), 3, 0, 2, all);
  for (const TableId table : {kApart, kTogether}) {
    Round round = sharing({}, table);
    round.open = true;
    give_out(dispatch, table, turn_of(table, round));
    const auto expects = dispatch.take_expects();
    ASSERT_EQ(expects.size(), table == kApart ? 2U : 1U);
    for (std::uint32_t p = 0; p < expects.size(); ++p) {
      EXPECT_EQ(expects[p].first, p);
      EXPECT_TRUE(expects[p].second.rows.open);
      EXPECT_TRUE(expects[p].second.rows.keys.empty());
    }
    for (const auto& [worker, tasks] : dispatch.take_tasks()) EXPECT_TRUE(tasks.shared.at(0).open);
  }
}

// Every shard visits every slice once, no slice has two visitors at a time, and slices are handed from visitor to
// visitor.
TEST(Dispatch, AnEvaluationBringsEverySliceToEveryShard) {
  for (const auto& [shards, slices] : {std::pair(3U, 6U), std::pair(1U, 2U), std::pair(4U, 4U), std::pair(5U, 2U)}) {
    Dispatch dispatch(tests::even_hosts(1, shards), shards, slices, 1, tables());
    dispatch.give_out_visits(3);
    const auto all = dispatch.take_tasks();
    ASSERT_EQ(all.size(), 1U);
    std::set<std::pair<ShardId, SliceId>> met;
    std::set<std::pair<RoundId, SliceId>> busy;
    std::set<std::pair<RoundId, ShardId>> at_work;
    for (const Task& task : all.at(0).tasks) {
      EXPECT_TRUE(task.evaluates && !task.shared && !task.ends_epoch && task.epoch == 3);
      EXPECT_TRUE(met.emplace(task.shard, *task.slice).second);
      EXPECT_TRUE(busy.emplace(task.round, *task.slice).second);
      EXPECT_TRUE(at_work.emplace(task.round, task.shard).second);
    }
    EXPECT_EQ(met.size(), std::size_t{shards} * slices);
    std::map<SliceId, RoundId> last;
    for (const Handover& handover : all.at(0).handovers) {
      EXPECT_EQ(handover.after, last[handover.slice]);
      last[handover.slice] = handover.to;
    }
    // The following rounds take the slices from their current shards, and keep their own numbers.
    give_out(dispatch, 1, turn_of(1, owning(std::vector<std::optional<SliceId>>(shards, std::nullopt), true)));
    std::vector<std::optional<SliceId>> first(shards);
    first[0] = 0;
    give_out(dispatch, 2, turn_of(2, owning(first)));
    EXPECT_EQ(dispatch.take_tasks().at(0).handovers.at(0).after, last[0]);
    dispatch.give_out_visits(4);
    const auto again = dispatch.take_tasks();
    for (const Task& task : again.at(0).tasks) EXPECT_FALSE(busy.contains({task.round, *task.slice}));
  }
}

}  // namespace
}  // namespace rota
