#include "tests/unit/worker/worker_stage.h"
#include "worker/preparation.h"

namespace rota {
namespace {

using namespace tests;

// All were requested at once, and filled the memory of sender and receiver.
TEST_F(WorkerNode, AResumedOneAsksForFewObjectsAtATime) {
  JobConfig job;
  job.shards = 40;
  job.slices = 80;
  job.threads = 2;
  worker_ = std::make_unique<Worker>(even_hosts(1, job.shards), *host_app(adding_plugin(), job));
  Welcome welcome;
  welcome.resume = 1;
  ASSERT_TRUE(receive(kCoordinator, welcome).ok());
  ASSERT_TRUE(receive(kCoordinator, kFacts).ok());
  CutMade cut;
  for (Key key = 0; key < 80; ++key) cut.cut.slices.push_back({key});
  ASSERT_TRUE(receive(kCoordinator, cut).ok());
  std::size_t served = 0;
  while (served < sent<Fetch>(kPartition).size()) {
    EXPECT_LE(sent<Fetch>(kPartition).size() - served, 4U) << "two threads, and two more";
    const Fetch next = sent<Fetch>(kPartition)[served++];
    ASSERT_TRUE(
        receive(kPartition, Fetched{next.object, next.id, next.object == Object::common ? common() : Bytes()}).ok());
  }
  EXPECT_EQ(served, 121U);
  EXPECT_EQ(receive(kPartition, Fetched{Object::slice, 0, {}}).code(), ExitCode::bug) << "it was not requested";
}

TEST_F(WorkerNode, WhatAllShardsKnowMustBeWhatTheCheckpointHas) {
  prepare(1);
  const Bytes saved = common();
  play.common = "another vocabulary";
  EXPECT_EQ(receive(kPartition, Fetched{Object::common, 0, saved}).code(), ExitCode::bad_data);
}

// A partition may receive its facts, and send its rows, before this worker has the facts.
TEST_F(WorkerNode, RestoredRowsMayComeBeforeTheFacts) {
  Welcome welcome;
  welcome.resume = 1;
  ASSERT_TRUE(receive(kCoordinator, welcome).ok());
  for (const TableId table : {kSums, kTalks}) {
    Deltas rows;
    rows.rows.table = table;
    ASSERT_TRUE(receive(kPartition, rows).ok());
  }
  ASSERT_TRUE(receive(kCoordinator, kFacts).ok());
  CutMade cut;
  cut.cut.slices = {{0}, {1}, {2}, {3}};
  ASSERT_TRUE(receive(kCoordinator, cut).ok());
  ASSERT_TRUE(receive(kPartition, Fetched{Object::common, 0, common()}).ok());
  for (const ShardId shard : {0U, 1U}) ASSERT_TRUE(receive(kPartition, Fetched{Object::shard, shard, {}}).ok());
  EXPECT_TRUE(sent<Ready>(kCoordinator).empty());
  for (const SliceId slice : {0U, 1U}) ASSERT_TRUE(receive(kPartition, Fetched{Object::slice, slice, {}}).ok());
  EXPECT_EQ(sent<Ready>(kCoordinator).size(), 1U);
}

// It has no rows, which were to be encoded.
TEST_F(WorkerNode, AResumedSliceWithoutBytesMovesUnchanged) {
  prepare(1);
  ASSERT_TRUE(receive(kPartition, Fetched{Object::common, 0, common()}).ok());
  for (const ShardId shard : {0U, 1U}) ASSERT_TRUE(receive(kPartition, Fetched{Object::shard, shard, {}}).ok());
  for (const SliceId slice : {0U, 1U}) ASSERT_TRUE(receive(kPartition, Fetched{Object::slice, slice, {}}).ok());
  Tasks tasks;
  tasks.handovers = {{0, 0, 1, 3}};  // to shard 3 of the other worker, and no task before
  ASSERT_TRUE(receive(kCoordinator, tasks).ok());
  const auto leases = sent<Lease>(kOther);
  ASSERT_EQ(leases.size(), 1U);
  EXPECT_EQ(leases[0].slice, 0U);
  EXPECT_TRUE(leases[0].rows.empty());
}

TEST_F(WorkerNode, EachObjectIsFetchedFromThePartitionThatKeepsIt) {
  JobConfig job;
  job.shards = 4;
  job.partitions = 2;
  WorkerState state(even_hosts(1, 4), *host_app(adding_plugin(), job));
  state.attached = std::make_unique<Attached>(Facts(), std::vector<Table>());
  Restoring restoring(state);
  ASSERT_TRUE(act([&](Outbox& out) { restoring.begin(out); }).ok());
  ASSERT_EQ(envelopes.size(), 3U) << "one thread, and two more";
  EXPECT_EQ(envelopes[0].to, kPartition) << "the common data";
  EXPECT_EQ(envelopes[1].to, kPartition) << "shard 0";
  EXPECT_EQ(envelopes[2].to, (NodeId{Role::partition, 1})) << "shard 1";
}

}  // namespace
}  // namespace rota
