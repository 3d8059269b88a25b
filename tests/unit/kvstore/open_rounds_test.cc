// The second of two partitions, with a dense table of ten rows: 5 to 9.

#include "kvstore/partition.h"
#include "tests/sim/memory_checkpoints.h"
#include "tests/unit/core/job/empty_app.h"
#include "tests/unit/core/runtime/node_stage.h"
#include "tests/unit/core/wire/round_messages.h"

namespace rota::open_rounds {
namespace {

using tests::expect_of;
using tests::numbers_of;
using tests::parts_of;

constexpr NodeId kSelf{Role::partition, 1}, kWorker{Role::worker, 0}, kScheduler{Role::scheduler, 0};

struct AssigningApp final : tests::EmptyApp {
  std::vector<Table> tables(const Facts&) const override {
    return {{.name = "all", .keys = 10, .row_width = 2, .part_width = 2, .dense = true},
            {.name = "large", .keys = 200000, .row_width = 1, .part_width = 1, .dense = true}};
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<AssignPull>(); }
};

class OpenRounds : public ::testing::Test, protected tests::NodeStage {
 protected:
  OpenRounds() : NodeStage(kSelf) {
    JobConfig job;
    job.shards = job.partitions = 2;
    partition_ = std::make_unique<Partition>(
        PartitionSettings{1, {0}}, *host_app(tests::plugin_of<AssigningApp>("assigning"), job),
        std::make_shared<sim::MemoryCheckpoints>(std::make_shared<sim::MemoryDisk>()));
    EXPECT_TRUE(receive(kCoordinator, JobFacts{}).ok());
  }
  Status receive(NodeId from, const Message& message) { return NodeStage::receive(*partition_, from, message); }
  Status expect(RoundId round, Feedback wish) {
    Expect expect = expect_of(round, {});
    expect.rows.open = true;
    expect.awaited_by = AwaitedBy{0, round, wish};
    return receive(kCoordinator, expect);
  }
  Status parts(RoundId round, ShardId shard, std::vector<KeyRun> runs, const std::vector<double>& sums) {
    Parts parts = parts_of(round, {0, shard}, sums);
    parts.open = true;
    parts.runs = std::move(runs);
    return receive(kWorker, parts);
  }

  std::unique_ptr<Partition> partition_;
};

TEST_F(OpenRounds, CommitTheRowsThatShardsHadPartsFor) {
  ASSERT_TRUE(expect(1, Feedback::norms).ok());
  ASSERT_TRUE(parts(1, 0, {{5, 1}, {9, 1}}, {1, 2, 3, 4}).ok());
  ASSERT_TRUE(parts(1, 1, {{5, 2}}, {10, 20, 30, 40}).ok());
  const auto deltas = sent<Deltas>(kWorker);
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_TRUE(deltas[0].rows.open);
  EXPECT_TRUE(deltas[0].rows.keys.empty());
  EXPECT_EQ(deltas[0].runs, (std::vector<KeyRun>{{5, 2}, {9, 1}}));
  EXPECT_EQ(numbers_of(deltas[0].values), (std::vector<double>{11, 22, 30, 40, 3, 4}));
  const auto feedback = sent<RoundFeedback>(kScheduler);
  ASSERT_EQ(feedback.size(), 1U);
  EXPECT_EQ(feedback[0].norms.l1, 110);
  EXPECT_EQ(feedback[0].norms.largest, 40);

  // The second measures from the first.
  ASSERT_TRUE(expect(2, Feedback::norms).ok());
  ASSERT_TRUE(parts(2, 0, {{6, 1}}, {30, 41}).ok());
  ASSERT_TRUE(parts(2, 1, {}, {}).ok());
  EXPECT_EQ(sent<RoundFeedback>(kScheduler).back().norms.l1, 1);
}

TEST_F(OpenRounds, EachRoundIsMeasuredFromTheOneBeforeWhateverThatWas) {
  RoundId round = 0;
  const auto l1 = [&](std::vector<KeyRun> runs, const std::vector<double>& sums) {
    EXPECT_TRUE(expect(++round, Feedback::norms).ok());
    EXPECT_TRUE(parts(round, 0, std::move(runs), sums).ok());
    EXPECT_TRUE(parts(round, 1, {}, {}).ok());
    return sent<RoundFeedback>(kScheduler).back().norms.l1;
  };
  EXPECT_EQ(l1({{5, 2}}, {1, 2, 3, 4}), 10);
  EXPECT_EQ(l1({{5, 2}}, {2, 2, 3, 4}), 1) << "the same rows";
  EXPECT_EQ(l1({{6, 1}}, {3, 6}), 2) << "one of them";
  EXPECT_EQ(l1({{5, 2}}, {2, 2, 3, 7}), 1);
  // A round that names its rows.
  Expect named = expect_of(++round, {5});
  ASSERT_TRUE(receive(kCoordinator, named).ok());
  ASSERT_TRUE(receive(kWorker, parts_of(round, {1, 0}, {5, 2})).ok());
  EXPECT_EQ(l1({{5, 2}}, {6, 2, 3, 7}), 1);
  EXPECT_EQ(l1({}, {}), 0);
  EXPECT_EQ(l1({{5, 2}}, {6, 2, 3, 9}), 2);
}

TEST_F(OpenRounds, ASchedulerThatWantsChangesGetsThemWithTheRows) {
  ASSERT_TRUE(expect(3, Feedback::changes).ok());
  ASSERT_TRUE(parts(3, 0, {}, {}).ok());
  ASSERT_TRUE(parts(3, 1, {{7, 1}}, {1, 2}).ok());
  const auto feedback = sent<RoundFeedback>(kScheduler);
  ASSERT_EQ(feedback.size(), 1U);
  EXPECT_EQ(feedback[0].runs, (std::vector<KeyRun>{{7, 1}}));
  EXPECT_EQ(numbers_of(feedback[0].values), (std::vector<double>{1, 2}));
  EXPECT_EQ(numbers_of(feedback[0].changes), (std::vector<double>{1, 2}));
}

TEST_F(OpenRounds, WhatIsNotInTheRangeOfThePartitionIsRefused) {
  ASSERT_TRUE(expect(1, Feedback::reply).ok());
  const Status status = parts(1, 0, {{4, 1}}, {1, 2});
  EXPECT_EQ(status.code(), ExitCode::bug);
  EXPECT_EQ(status.what(), "parts from worker-0: round 1: parts of other rows");
  EXPECT_EQ(receive(kCoordinator, expect_of(2, {4})).what(), "row 4 of table all is expected in partition-1");
  EXPECT_TRUE(receive(kCoordinator, expect_of(2, {5})).ok());
}

TEST_F(OpenRounds, ManyNumbersArePulledOnAComputeThread) {
  Expect expect = expect_of(1, {}, 1);
  expect.rows.open = true;
  ASSERT_TRUE(receive(kCoordinator, expect).ok());
  hold_work = true;
  ASSERT_TRUE(parts(1, 0, {{100000, 100000}}, std::vector<double>(100000, 3)).ok());
  ASSERT_TRUE(parts(1, 1, {{150000, 1}}, {4}).ok());
  EXPECT_TRUE(sent<Deltas>(kWorker).empty());
  ASSERT_TRUE(finish_work().ok());
  std::vector<double> expected(100000, 3);
  expected[50000] = 7;
  EXPECT_EQ(numbers_of(sent<Deltas>(kWorker).at(0).values), expected);
}

}  // namespace
}  // namespace rota::open_rounds
