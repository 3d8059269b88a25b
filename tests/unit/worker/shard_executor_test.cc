// A worker in an epoch: slices, shared rounds, and the commits that a push
// sees.
#include "worker/shard_executor.h"

#include "core/base/clock.h"
#include "tests/unit/worker/worker_stage.h"

namespace rota {
namespace {

using namespace tests;

TEST_F(WorkerNode, ComputesASliceAndSendsItOn) {
  prepare();
  Tasks tasks;
  tasks.tasks = {owning(1, 0, 0)};
  tasks.tasks[0].visit = 2;
  tasks.tasks[0].last_visit = true;
  tasks.tasks[0].argument = Argument(std::vector<double>{0.5});
  tasks.handovers = {{0, 0, 1, 0}, {0, 1, 2, 3}};  // here first, then to shard 3 of the other worker
  ASSERT_TRUE(receive(kCoordinator, tasks).ok());
  ASSERT_EQ(play.visits.size(), 1U);
  EXPECT_EQ(play.visits[0].visit, 2U);
  EXPECT_TRUE(play.visits[0].last);
  EXPECT_EQ(play.visits[0].argument, std::vector{0.5});
  const auto leases = sent<Lease>(kOther);
  ASSERT_EQ(leases.size(), 1U);
  EXPECT_EQ(leases[0].slice, 0U);
  EXPECT_EQ(leases[0].to, 2U);
  EXPECT_EQ(leases[0].shard, 3U);
  EXPECT_TRUE(std::ranges::equal(leases[0].rows.view(), number(1).view()));
  EXPECT_EQ(worker_->slices_held(), (std::vector<SliceId>{1}));
}

TEST_F(WorkerNode, WaitsForASliceThatIsOnItsWay) {
  prepare();
  Tasks tasks;
  tasks.tasks = {owning(1, 0, 2)};
  tasks.handovers = {{2, 1, 2, 2}};
  ASSERT_TRUE(receive(kCoordinator, tasks).ok());
  EXPECT_TRUE(sent<Lease>(kOther).empty());
  ASSERT_TRUE(receive(kOther, Lease{2, 1, 0, number(40)}).ok());
  ASSERT_EQ(sent<Lease>(kOther).size(), 1U);
  EXPECT_TRUE(std::ranges::equal(sent<Lease>(kOther)[0].rows.view(), number(41).view()));
}

// 24 shards pass 24 slices on to the previous shard in 24 rounds.
TEST_F(WorkerNode, ContinuesWithNeighboursWhileTheyHaveSlices) {
  constexpr ShardId kShards = 24;
  Job job;
  job.shards = job.slices = kShards;
  worker_ = std::make_unique<Worker>(even_hosts(1, kShards), *host_app(adding_plugin(), job));
  ASSERT_TRUE(receive(kCoordinator, Welcome{}).ok());
  ASSERT_TRUE(receive(kCoordinator, kFacts).ok());
  CutMade cut;
  for (Key key = 0; key < kShards; ++key) cut.cut.slices.push_back({key});
  ASSERT_TRUE(receive(kCoordinator, cut).ok());
  Tasks tasks;
  for (RoundId round = 1; round <= kShards; ++round) {
    for (ShardId s = 0; s < kShards; ++s) {
      const auto slice = static_cast<SliceId>((s + round - 1) % kShards);
      tasks.tasks.push_back(owning(round, s, slice));
      tasks.tasks.back().argument = Argument(std::vector{static_cast<double>(s), static_cast<double>(round)});
      tasks.handovers.push_back({slice, round - 1, round, s});
    }
  }
  ASSERT_TRUE(receive(kCoordinator, tasks).ok());
  ASSERT_EQ(play.visits.size(), kShards * kShards);
  std::vector<double> rounds(kShards);  // of each shard, the last
  std::size_t moves = 0;
  for (std::size_t i = 0; i < play.visits.size(); ++i) {
    const auto shard = static_cast<std::size_t>(play.visits[i].argument[0]);
    EXPECT_EQ(play.visits[i].argument[1], ++rounds[shard]);
    if (i > 0 && static_cast<std::size_t>(play.visits[i - 1].argument[0]) / 8 != shard / 8) ++moves;
  }
  EXPECT_LE(moves, 12U) << "in the order of the rounds it would be 72";
}

TEST_F(WorkerNode, ASliceThatIsHereAlreadyHasTwoHolders) {
  prepare();
  const Status status = receive(kOther, Lease{1, 3, 0, number(1)});
  EXPECT_EQ(status.code(), ExitCode::bug);
  EXPECT_EQ(status.what(), "slice 1 has two holders");
}

// Its rows were read past the end of the cut.
TEST_F(WorkerNode, AnInvalidSliceIsRefused) {
  prepare();
  EXPECT_EQ(receive(kOther, Lease{4, 3, 0, number(1)}).code(), ExitCode::bug);
  EXPECT_EQ(receive(kOther, Lease{2, 3, 2, number(1)}).code(), ExitCode::bug) << "for a shard that is not here";
}

TEST_F(WorkerNode, ADamagedSliceIsRefused) {
  prepare();
  Tasks tasks;
  tasks.tasks = {owning(1, 0, 2)};
  ASSERT_TRUE(receive(kCoordinator, tasks).ok());
  const Status status = receive(kOther, Lease{2, 1, 0, Bytes::from({std::byte{9}})});
  EXPECT_EQ(status.code(), ExitCode::bug);
  EXPECT_EQ(status.what(), "slice 2 failed to decode");
}

TEST_F(WorkerNode, ATaskForAnotherWorkersShardIsRefused) {
  prepare();
  Tasks tasks;
  tasks.tasks = {owning(1, 2, 0)};
  const Status status = receive(kCoordinator, tasks);
  EXPECT_EQ(status.code(), ExitCode::bug);
  EXPECT_NE(status.what().find("for shard 2"), std::string::npos) << status.what();
  Tasks twice;
  twice.handovers = {{0, 0, 1, 0}, {0, 0, 2, 1}};
  EXPECT_EQ(receive(kCoordinator, twice).what(), "conflicting handovers of slice 0");
}

TEST_F(WorkerNode, SumsTheShardsPartsAndEndsAfterTheCommit) {
  prepare();
  ASSERT_TRUE(receive(kCoordinator, sharing(rows_of(1, {0, 2}), true)).ok());
  const auto parts = sent<Parts>(kPartition);
  ASSERT_EQ(parts.size(), 1U) << "the two shards are one subtree";
  EXPECT_EQ(parts[0].node, (TreeNode{1, 0}));
  EXPECT_EQ(numbers_of(parts[0].sums), (std::vector<double>{2, 2}));
  EXPECT_EQ(parts[0].note_sizes, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_TRUE(sent<EpochDone>(kCoordinator).empty());
  ASSERT_TRUE(receive(kPartition, deltas_of(1, {0, 2}, {2, 2})).ok());
  const auto done = sent<EpochDone>(kCoordinator);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].items, 10U);
}

// It was counted as waiting.
TEST(Expectation, FollowsTheTimesAndForgetsAnInterruption) {
  Expectation expectation;
  EXPECT_EQ(expectation.expected(), Outbox::kUnknown);
  expectation.add(10'000);
  EXPECT_EQ(expectation.expected(), 10'000);
  expectation.add(kSecond);
  EXPECT_LT(expectation.expected(), 12'000);
  for (int i = 0; i < 40; ++i) expectation.add(100'000);
  EXPECT_GT(expectation.expected(), 90'000) << "work that has become longer";
}

TEST_F(WorkerNode, RefreshingCountsAsComputing) {
  prepare();
  play.refresh_takes = std::chrono::milliseconds(5);
  ASSERT_TRUE(receive(kCoordinator, sharing(rows_of(1, {0}), true)).ok());
  commit(1);
  const auto done = sent<EpochDone>(kCoordinator);
  ASSERT_EQ(done.size(), 1U);
  // A sleep is never shorter than it was asked to be.
  EXPECT_GE(done[0].compute_ns, static_cast<std::uint64_t>(2 * 5 * kMillisecond)) << "by two shards";
}

TEST_F(WorkerNode, APartThatIsNoNumberNamesPluginRoundAndShard) {
  prepare();
  play.part = std::numeric_limits<double>::quiet_NaN();
  const Status status = receive(kCoordinator, sharing(rows_of(1, {0, 2})));
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_EQ(status.what(), "plugin adding, Push::push, round 1, shard 0: a part is not a finite number");
}

TEST_F(WorkerNode, PushIsShownBlocksAndArgumentAndFillsWhatTheyNeed) {
  prepare();
  SharedRows rows = rows_of(1, {5, 3, 8, 1}, kTalks);
  rows.blocks = {3, 1};
  rows.argument = Argument(std::vector<double>{0.25, -1});
  ASSERT_TRUE(receive(kCoordinator, sharing(rows)).ok());
  ASSERT_EQ(play.shown.size(), 2U);
  for (const Shown& shown : play.shown) {
    EXPECT_EQ(shown.blocks, rows.blocks);
    EXPECT_EQ(shown.argument, (std::vector<double>{0.25, -1}));
    EXPECT_EQ(shown.values, (std::vector<double>(4)));
  }
  const auto parts = sent<Parts>(kPartition);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(numbers_of(parts[0].sums), (std::vector<double>(1 + 2 + 3 + 1, 2.0)));
}

TEST_F(WorkerNode, NotesGoToPullAndItsReplyToAllShards) {
  prepare();
  play.note = "from ";
  ASSERT_TRUE(receive(kCoordinator, sharing(rows_of(1, {}, kTalks), true)).ok());
  const auto parts = sent<Parts>(kPartition);
  ASSERT_EQ(parts.size(), 1U) << "though no row is named";
  EXPECT_TRUE(parts[0].sums.empty());
  EXPECT_EQ(parts[0].note_sizes, (std::vector<std::uint64_t>{6, 6}));
  EXPECT_EQ(text_of(parts[0].notes), "from 0from 1");
  ASSERT_TRUE(receive(kPartition, deltas_of(1, {}, {}, kTalks, "aye ")).ok());
  EXPECT_EQ(play.replies, "aye aye ");
  EXPECT_EQ(sent<EpochDone>(kCoordinator).size(), 1U);
}

// ---- the commits that a push sees ----

TEST_F(WorkerNode, AStalePushSeesExactlyTheCommitsThatItMay) {
  start(2, false);
  prepare();
  for (RoundId round = 1; round <= 6; ++round) share(round, round == 6);
  EXPECT_TRUE(pushed(3) && !pushed(4));
  EXPECT_EQ(shown_in(3), std::pair(0.0, std::vector<RoundId>{}));
  commit(1);
  EXPECT_EQ(shown_in(4), std::pair(10.0, std::vector<RoundId>{1}));
  EXPECT_FALSE(pushed(5));
  // Three commits come before any work is done, and the next push is to see one of them.
  hold_work = true;
  for (const RoundId round : {2, 3, 4}) commit(round);
  hold_work = false;
  ASSERT_TRUE(finish_work().ok());
  EXPECT_EQ(shown_in(5), std::pair(20.0, std::vector<RoundId>({1, 2})));
  EXPECT_EQ(shown_in(6), std::pair(30.0, std::vector<RoundId>({1, 2, 3})));
}

TEST_F(WorkerNode, AnEpochEndsWithItsLastCommit) {
  start(2, false);
  prepare();
  for (RoundId round = 1; round <= 2; ++round) share(round, round == 2);
  for (RoundId round = 3; round <= 6; ++round) share(round, round == 6, 2);
  EXPECT_TRUE(pushed(2) && !pushed(3)) << "it is of another epoch";
  commit(1);
  EXPECT_TRUE(sent<EpochDone>(kCoordinator).empty());
  EXPECT_FALSE(pushed(3));
  commit(2);
  EXPECT_EQ(sent<EpochDone>(kCoordinator).size(), 1U);
  for (const RoundId round : {3, 4, 5}) EXPECT_EQ(shown_in(round), std::pair(20.0, std::vector<RoundId>({1, 2})));
  EXPECT_FALSE(pushed(6));
  commit(3);
  EXPECT_EQ(shown_in(6), std::pair(30.0, std::vector<RoundId>({1, 2, 3})));
}

TEST_F(WorkerNode, ACommitThatComesDuringAPushIsNotSeenByIt) {
  start(0, true);
  prepare();
  share(1);
  hold_work = true;
  share(2);  // its work was given to the compute threads, and not begun
  commit(1);
  hold_work = false;
  ASSERT_TRUE(finish_work().ok());
  EXPECT_EQ(shown_in(2), std::pair(0.0, std::vector<RoundId>{}));
}

}  // namespace
}  // namespace rota
