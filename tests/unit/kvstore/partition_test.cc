// tests/unit/kvstore/partition_test.cc -- one partition on small scripts, with everybody else played by the test.
#include "kvstore/partition.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tests/sim/memory_checkpoints.h"

namespace rota {
namespace {

constexpr NodeId kSelf{Role::partition, 0}, kScheduler{Role::scheduler, 0};
constexpr NodeId kWorkers[] = {{Role::worker, 0}, {Role::worker, 1}};

class CountingPull final : public AddPull {
 public:
  void evaluate(TableId, Key, std::span<const double> value, std::span<double> terms) const override {
    terms[0] += value[0];
  }
};

const Plugin& plugin() {
  static const Plugin made = [] {
    Plugin plugin;
    plugin.name = "counting";
    plugin.tables = [](const Job&) {
      return std::vector<Table>{{"sums", Table::Kind::shared, 10, 1, 1}, {"rows", Table::Kind::sliced, 4, 0, 0}};
    };
    plugin.terms = [](const Job&) { return std::vector<Term>{{"sum", Term::Kind::report}}; };
    plugin.pull = [](const Job&) -> std::unique_ptr<Pull> { return std::make_unique<CountingPull>(); };
    return plugin;
  }();
  return made;
}

class PartitionNode : public ::testing::Test {
 protected:
  PartitionNode() : store_(std::make_shared<sim::MemoryCheckpoints>()) { start(); }
  // A new start of the partition, over the same disk.
  void start() {
    Job job;
    job.shards = 2;
    partition_ = std::make_unique<Partition>(PartitionSettings{0, 2, 1}, plugin(), job, store_);
    said_.clear();
  }
  Status hear(NodeId from, const Message& message) {
    return turn([&](Outbox& out) { return partition_->step({from, kSelf, message}, out); });
  }
  static SharedRows rows(RoundId round, std::vector<Key> keys) { return {round, 0, std::move(keys)}; }
  static Parts parts(RoundId round, TreeNode node, const std::vector<double>& sums) {
    Writer out;
    out.append(sums.data(), sums.size() * sizeof(double));
    return {round, node, Bytes::from(out.take())};
  }
  static std::vector<double> values(const Deltas& deltas) {
    std::vector<double> numbers(deltas.values.size() / sizeof(double));
    std::memcpy(numbers.data(), deltas.values.view().data(), deltas.values.size());
    return numbers;
  }
  template <typename M>
  std::vector<M> sent(NodeId to) const {
    std::vector<M> all;
    for (const Envelope& envelope : said_)
      if (envelope.to == to && std::holds_alternative<M>(envelope.message))
        all.push_back(std::get<M>(envelope.message));
    return all;
  }
  static Put put(Epoch epoch, Object object, std::uint64_t id) {
    const Bytes bytes = Bytes::from({static_cast<std::byte>(id)});
    return {epoch, object, id, hash128(bytes.view()), bytes};
  }

  std::shared_ptr<sim::MemoryCheckpoints> store_;
  std::unique_ptr<Partition> partition_;
  std::vector<Envelope> said_;

 private:
  Status turn(const std::function<Status(Outbox&)>& act) {
    Outbox out(kSelf, world_);
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

TEST_F(PartitionNode, CommitsARoundAndTellsEverybody) {
  ASSERT_TRUE(hear(kCoordinator, Welcome{}).ok());
  EXPECT_EQ(sent<Ready>(kCoordinator).size(), 1U);
  ASSERT_TRUE(hear(kCoordinator, Expect{rows(1, {7, 2})}).ok());
  ASSERT_TRUE(hear(kWorkers[0], parts(1, {0, 0}, {1, 2})).ok());
  EXPECT_TRUE(sent<Committed>(kCoordinator).empty());
  ASSERT_TRUE(hear(kWorkers[1], parts(1, {0, 1}, {10, 20})).ok());
  ASSERT_EQ(sent<Committed>(kCoordinator).size(), 1U);
  for (const NodeId to : {kWorkers[0], kWorkers[1], kScheduler}) {
    const auto deltas = sent<Deltas>(to);
    ASSERT_EQ(deltas.size(), 1U);
    EXPECT_EQ(deltas[0].rows.keys, (std::vector<Key>{7, 2}));
    EXPECT_EQ(values(deltas[0]), (std::vector<double>{11, 22}));
  }
  ASSERT_TRUE(hear(kCoordinator, Evaluate{1}).ok());
  EXPECT_EQ(sent<Evaluated>(kCoordinator).at(0).rows, (std::vector<double>{33}));
}

TEST_F(PartitionNode, ARowThatIsNoNumberNamesPluginRoundAndRow) {
  ASSERT_TRUE(hear(kCoordinator, Expect{rows(3, {5})}).ok());
  ASSERT_TRUE(hear(kWorkers[0], parts(3, {0, 0}, {std::numeric_limits<double>::max()})).ok());
  const Status status = hear(kWorkers[1], parts(3, {0, 1}, {std::numeric_limits<double>::max()}));
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_EQ(status.what(), "counting, Pull::pull, round 3: row 5 of sums is not a finite number");
  EXPECT_TRUE(sent<Committed>(kCoordinator).empty());
}

TEST_F(PartitionNode, ARoundThatBreaksTheRulesIsTheSchedulesFault) {
  EXPECT_EQ(hear(kCoordinator, Expect{{1, 1, {0}}}).what(), "schedule: table 1 is not a shared table");
  EXPECT_EQ(hear(kCoordinator, Expect{{1, 5, {0}}}).code(), ExitCode::failed);
  EXPECT_EQ(hear(kCoordinator, Expect{rows(1, {10})}).what(), "schedule: table sums has no row 10");
}

TEST_F(PartitionNode, WrongPartsNameTheirSender) {
  ASSERT_TRUE(hear(kCoordinator, Expect{rows(1, {5})}).ok());
  EXPECT_EQ(hear(kWorkers[1], parts(1, {0, 1}, {1, 2})).what(), "parts from worker-1: round 1: parts of another size");
}

TEST_F(PartitionNode, WritesACheckpointWhenAllObjectsAreIn) {
  ASSERT_TRUE(hear(kCoordinator, Welcome{}).ok());
  ASSERT_TRUE(hear(kWorkers[0], put(1, Object::slice, 4)).ok()) << "objects may come before SAVE";
  ASSERT_TRUE(hear(kCoordinator, Save{1, 2}).ok());
  EXPECT_TRUE(sent<Written>(kCoordinator).empty());
  ASSERT_TRUE(hear(kWorkers[1], put(1, Object::shard, 4)).ok());
  const auto written = sent<Written>(kCoordinator);
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].epoch, 1U);
  EXPECT_EQ(written[0].objects.size(), 2U);
  EXPECT_EQ(written[0].file, "1/0");
}

TEST_F(PartitionNode, AnObjectThatCameDamagedIsRefused) {
  Put damaged = put(1, Object::slice, 4);
  damaged.hash.low ^= 1;
  const Status status = hear(kWorkers[0], damaged);
  EXPECT_EQ(status.code(), ExitCode::bug);
  EXPECT_EQ(status.what(), "an object from worker-0 does not have the hash it came with");
}

TEST_F(PartitionNode, ACheckpointHasTheRowsAsTheyWereWhenItWasAskedFor) {
  ASSERT_TRUE(hear(kCoordinator, Expect{rows(1, {5})}).ok());
  ASSERT_TRUE(hear(kWorkers[0], parts(1, {1, 0}, {1})).ok());
  ASSERT_TRUE(hear(kCoordinator, Save{1, 1}).ok());
  ASSERT_TRUE(hear(kCoordinator, Expect{rows(2, {5})}).ok());
  ASSERT_TRUE(hear(kWorkers[0], parts(2, {1, 0}, {100})).ok());
  ASSERT_TRUE(hear(kWorkers[0], put(1, Object::slice, 0)).ok());
  start();
  Welcome resumed;
  resumed.resume = 1;
  ASSERT_TRUE(hear(kCoordinator, resumed).ok());
  for (const NodeId to : {kWorkers[0], kWorkers[1], kScheduler}) {
    const auto told = sent<Deltas>(to);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].rows.round, 0U);
    EXPECT_EQ(values(told[0]), (std::vector<double>{1}));
  }
  EXPECT_EQ(sent<Ready>(kCoordinator).size(), 1U);
  ASSERT_TRUE(hear(kWorkers[0], Fetch{Object::slice, 0}).ok());
  EXPECT_EQ(sent<Fetched>(kWorkers[0]).at(0).bytes.size(), 1U);
  EXPECT_EQ(hear(kWorkers[0], Fetch{Object::slice, 1}).code(), ExitCode::disk) << "it is not in the checkpoint";
}

TEST_F(PartitionNode, WhatIsNotForAPartitionIsRefused) {
  for (const Message& message : {Message(Rounds{}), Message(Tasks{}), Message(Lease{}), Message(Fetch{})})
    EXPECT_EQ(hear(kWorkers[0], message).code(), ExitCode::bug);
}

}  // namespace
}  // namespace rota
