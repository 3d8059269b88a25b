// tests/unit/worker/worker_test.cc -- one worker with two of four shards, everybody else played by the test.
#include "worker/worker.h"

#include <gtest/gtest.h>

#include <limits>

#include "rota/dense_slice.h"

namespace rota {
namespace {

constexpr NodeId kWorker{Role::worker, 0}, kOther{Role::worker, 1}, kPartition{Role::partition, 0};

using Rows = DenseSlice<double>;

double push_gives = 1;  // what every part is

// Adds one to every number of a slice.
class AddingPush final : public Push {
 public:
  std::uint64_t items() const override { return 5; }
  void census(Census& census) const override {
    census.resize(4);
    for (std::uint64_t& weight : census) ++weight;
  }
  std::uint64_t push(SliceId, Slice& slice, Epoch, const Budget&, Random&) override {
    for (double& number : dynamic_cast<Rows&>(slice).row(0)) number += 1;
    return 1;
  }
  std::uint64_t push(const SharedTask& task, Random&) override {
    for (const Entry& entry : task.entries) entry.part[0] = push_gives;
    return 5;
  }
  void evaluate(std::span<double> terms) const override { terms[0] += 1; }
  void evaluate(SliceId, const Slice& slice, std::span<double> terms) const override {
    terms[0] += dynamic_cast<const Rows&>(slice).row(0)[0];
  }
};

const Plugin& plugin() {
  static const Plugin made = [] {
    Plugin plugin;
    plugin.name = "adding";
    plugin.items = "things";
    plugin.tables = [](const Job&) {
      return std::vector<Table>{{"sums", Table::Kind::shared, 3, 1, 1}, {"rows", Table::Kind::sliced, 4, 0, 0}};
    };
    plugin.terms = [](const Job&) { return std::vector<Term>{{"sum", Term::Kind::report}}; };
    plugin.load = [](const Job&, std::span<const ShardId> hosted) {
      std::vector<std::unique_ptr<Push>> all;
      for (std::size_t i = 0; i < hosted.size(); ++i) all.push_back(std::make_unique<AddingPush>());
      return all;
    };
    plugin.slice = [](const Job&, std::span<const Key> keys) -> std::unique_ptr<Slice> {
      return std::make_unique<Rows>(keys.size(), 1);
    };
    return plugin;
  }();
  return made;
}

// Each of four slices has one row; slices 0 and 1 begin here.
class WorkerNode : public ::testing::Test {
 protected:
  WorkerNode() : worker_({0, 2, 2, 1, 0}, plugin(), job()) { push_gives = 1; }

  static Job job() {
    Job job;
    job.shards = job.slices = 4;
    return job;
  }
  Status hear(NodeId from, const Message& message) {
    return turn([&](Outbox& out) { return worker_.step({from, kWorker, message}, out); });
  }
  void prepare() {
    ASSERT_TRUE(hear(kCoordinator, Welcome{}).ok());
    CutMade cut;
    cut.cut.slices = {{0}, {1}, {2}, {3}};
    ASSERT_TRUE(hear(kCoordinator, cut).ok());
  }
  static Task owning(RoundId round, ShardId shard, SliceId slice) { return {round, 1, shard, slice, false, false}; }
  static Bytes number(double value) {
    Rows rows(1, 1);
    rows.row(0)[0] = value;
    Writer out;
    rows.encode(out);
    return Bytes::from(out.take());
  }
  template <typename M>
  std::vector<M> sent(NodeId to) const {
    std::vector<M> all;
    for (const Envelope& envelope : said_)
      if (envelope.to == to && std::holds_alternative<M>(envelope.message))
        all.push_back(std::get<M>(envelope.message));
    return all;
  }

  Worker worker_;
  std::vector<Envelope> said_;

 private:
  Status turn(const std::function<Status(Outbox&)>& act) {
    Outbox out(kWorker, world_);
    Status status = act(out);
    said_.insert(said_.end(), out.sent.begin(), out.sent.end());
    for (const auto& started : out.started) {
      if (!status.ok()) break;
      const Continuation continuation = started.work();
      status = turn([&](Outbox& later) { return continuation(later); });
    }
    return status;
  }
  Outbox::World world_;
};

TEST_F(WorkerNode, LoadsAttachesAndIsReady) {
  prepare();
  ASSERT_EQ(sent<Loaded>(kCoordinator).size(), 1U);
  const Loaded loaded = sent<Loaded>(kCoordinator)[0];
  EXPECT_EQ(loaded.items, (std::vector<std::uint64_t>{5, 5}));
  EXPECT_EQ(loaded.census, (Census{2, 2, 2, 2}));
  EXPECT_EQ(loaded.items_unit, "things");
  EXPECT_EQ(sent<Ready>(kCoordinator).size(), 1U);
  EXPECT_EQ(worker_.slices_held(), (std::vector<SliceId>{0, 1}));
}

TEST_F(WorkerNode, ComputesASliceAndSendsItOn) {
  prepare();
  Tasks tasks;
  tasks.tasks = {owning(1, 0, 0)};
  tasks.handovers = {{0, 0, 1, 0}, {0, 1, 2, 3}};  // here first, then to shard 3 of the other worker
  ASSERT_TRUE(hear(kCoordinator, tasks).ok());
  const auto leases = sent<Lease>(kOther);
  ASSERT_EQ(leases.size(), 1U);
  EXPECT_EQ(leases[0].slice, 0U);
  EXPECT_EQ(leases[0].to, 2U);
  EXPECT_EQ(leases[0].shard, 3U);
  EXPECT_TRUE(std::ranges::equal(leases[0].rows.view(), number(1).view()));
  EXPECT_EQ(worker_.slices_held(), (std::vector<SliceId>{1}));
}

TEST_F(WorkerNode, WaitsForASliceThatIsOnItsWay) {
  prepare();
  Tasks tasks;
  tasks.tasks = {owning(1, 0, 2)};
  tasks.handovers = {{2, 1, 2, 2}};
  ASSERT_TRUE(hear(kCoordinator, tasks).ok());
  EXPECT_TRUE(sent<Lease>(kOther).empty());
  ASSERT_TRUE(hear(kOther, Lease{2, 1, 0, number(40)}).ok());
  ASSERT_EQ(sent<Lease>(kOther).size(), 1U);
  EXPECT_TRUE(std::ranges::equal(sent<Lease>(kOther)[0].rows.view(), number(41).view()));
}

TEST_F(WorkerNode, ASliceThatIsHereAlreadyHasTwoHolders) {
  prepare();
  const Status status = hear(kOther, Lease{1, 3, 0, number(1)});
  EXPECT_EQ(status.code(), ExitCode::bug);
  EXPECT_EQ(status.what(), "slice 1 has two holders");
}

// Its rows were looked for behind the end of the cut.
TEST_F(WorkerNode, ASliceThatIsNoneIsRefused) {
  prepare();
  EXPECT_EQ(hear(kOther, Lease{4, 3, 0, number(1)}).code(), ExitCode::bug);
  EXPECT_EQ(hear(kOther, Lease{2, 3, 2, number(1)}).code(), ExitCode::bug) << "for a shard that is not here";
}

TEST_F(WorkerNode, ADamagedSliceIsRefused) {
  prepare();
  Tasks tasks;
  tasks.tasks = {owning(1, 0, 2)};
  ASSERT_TRUE(hear(kCoordinator, tasks).ok());
  const Status status = hear(kOther, Lease{2, 1, 0, Bytes::from({std::byte{9}})});
  EXPECT_EQ(status.code(), ExitCode::bug);
  EXPECT_EQ(status.what(), "slice 2 came damaged");
}

TEST_F(WorkerNode, ATaskForAnotherWorkersShardIsRefused) {
  prepare();
  Tasks tasks;
  tasks.tasks = {owning(1, 2, 0)};
  const Status status = hear(kCoordinator, tasks);
  EXPECT_EQ(status.code(), ExitCode::bug);
  EXPECT_NE(status.what().find("for shard 2"), std::string::npos) << status.what();
  Tasks twice;
  twice.handovers = {{0, 0, 1, 0}, {0, 0, 2, 1}};
  EXPECT_EQ(hear(kCoordinator, twice).what(), "a slice is to go two ways");
}

// A partition's commit of a round, in which every row became two.
Deltas committed(RoundId round, std::vector<Key> keys) {
  Writer values;
  for (std::size_t i = 0; i < keys.size(); ++i) values.put(2.0);
  return {SharedRows{round, 0, std::move(keys)}, Bytes::from(values.take())};
}

Tasks sharing(RoundId round) {
  Tasks tasks;
  for (ShardId s = 0; s < 2; ++s) tasks.tasks.push_back({round, 1, s, std::nullopt, true, true});
  tasks.shared = {{round, 0, {0, 2}}};
  return tasks;
}

TEST_F(WorkerNode, SumsThePartsOfItsShardsAndEndsTheEpochBehindTheCommit) {
  prepare();
  ASSERT_TRUE(hear(kCoordinator, sharing(1)).ok());
  const auto parts = sent<Parts>(kPartition);
  ASSERT_EQ(parts.size(), 1U) << "the two shards are one subtree";
  EXPECT_EQ(parts[0].node, (TreeNode{1, 0}));
  EXPECT_TRUE(sent<EpochDone>(kCoordinator).empty());
  ASSERT_TRUE(hear(kPartition, committed(1, {0, 2})).ok());
  const auto done = sent<EpochDone>(kCoordinator);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].items, 10U);
}

TEST_F(WorkerNode, APartThatIsNoNumberNamesPluginRoundAndShard) {
  prepare();
  push_gives = std::numeric_limits<double>::quiet_NaN();
  const Status status = hear(kCoordinator, sharing(1));
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_EQ(status.what(), "adding, Push::push, round 1, shard 0: a part is not a finite number");
}

TEST_F(WorkerNode, ACommitBeforeAllPartsAreInIsRefused) {
  prepare();
  Tasks tasks;
  tasks.shared = {{1, 0, {0}}};
  ASSERT_TRUE(hear(kCoordinator, tasks).ok());
  EXPECT_EQ(hear(kPartition, committed(1, {0})).what(), "a commit before all parts were in");
}

TEST_F(WorkerNode, EvaluatesAndSavesWhatItHolds) {
  prepare();
  ASSERT_TRUE(hear(kOther, Lease{3, 1, 0, number(7)}).ok());
  EXPECT_EQ(hear(kCoordinator, Evaluate{1}).code(), ExitCode::bug) << "a slice is still awaited by its task";
  Tasks tasks;
  tasks.tasks = {owning(1, 0, 3)};
  ASSERT_TRUE(hear(kCoordinator, tasks).ok());
  ASSERT_TRUE(hear(kCoordinator, Evaluate{1}).ok());
  const auto evaluated = sent<Evaluated>(kCoordinator);
  ASSERT_EQ(evaluated.size(), 1U);
  EXPECT_EQ(evaluated[0].shards.size(), 2U);
  ASSERT_EQ(evaluated[0].slices.size(), 3U);
  double sum = 0;
  for (const TermsOf& slice : evaluated[0].slices) sum += slice.terms[0];
  EXPECT_EQ(sum, 8);
  ASSERT_TRUE(hear(kCoordinator, Save{1, 0}).ok());
  EXPECT_EQ(sent<Put>(kPartition).size(), 5U) << "two shards, three slices";
  for (const Put& put : sent<Put>(kPartition)) EXPECT_EQ(put.hash, hash128(put.bytes.view()));
  EXPECT_EQ(sent<Saved>(kCoordinator).size(), 1U);
}

TEST_F(WorkerNode, WhatIsNotForAWorkerIsRefused) {
  prepare();
  for (const Message& message : {Message(Rounds{}), Message(Hello{}), Message(Written{}), Message(Start{})})
    EXPECT_EQ(hear(kCoordinator, message).code(), ExitCode::bug);
  EXPECT_EQ(hear(kPartition, Fetched{Object::slice, 9, {}}).code(), ExitCode::bug) << "no such slice";
  EXPECT_EQ(hear(kPartition, Fetched{Object::shard, 3, {}}).code(), ExitCode::bug) << "not hosted here";
}

}  // namespace
}  // namespace rota
