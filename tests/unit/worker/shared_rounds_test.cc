// The ledger of two shards.  Rounds and commits are named from 1 here.
#include "worker/shared_rounds.h"

#include "tests/unit/worker/worker_stage.h"

namespace rota {
namespace {

using namespace tests;

class LedgerOfShards : public ::testing::Test, protected NodeStage {
 protected:
  LedgerOfShards() : NodeStage(kWorker) {}

  void begin(std::uint32_t staleness, bool asynchronous = false) {
    JobConfig job;
    job.shards = 2;
    job.staleness = staleness;
    job.asynchronous = asynchronous;
    const std::vector<Table> tables = {{"sums", Table::Kind::shared, 3, 1, 1}};
    state_ = std::make_unique<WorkerState>(even_hosts(1, 2), *host_app(adding_plugin(), job));
    state_->attached = std::make_unique<Attached>(Facts(), tables);
    state_->commits = Commits(tables, 1);
    shards_.clear();
    for (const ShardId shard : {0U, 1U}) shards_.push_back({shard, ShardExchanges(shard, {}, state_->routes)});
    rounds_ = std::make_unique<SharedRounds>(*state_, shards_);
  }
  // Runs a shard's push of a round; returns the value of row 0 that it sees.
  double push(ShardId shard, RoundId round) {
    Task task;
    task.round = round;
    task.epoch = 3;
    task.shard = shard;
    const auto push = rounds_->push_of(task);
    const double shown = push->values->at(0);
    AddingPush hooks(shard);
    EXPECT_TRUE(push->run("adding", where(task), 1, hooks).ok());
    EXPECT_TRUE(act([&](Outbox& out) { rounds_->pushed(*push, out); }).ok());
    return shown;
  }
  // Row 0 becomes ten times the round.
  void commit(RoundId round) {
    ASSERT_TRUE(rounds_->commit(0, deltas_of(round, {0}, {10.0 * static_cast<double>(round)})).ok());
  }
  // The rounds whose commits a shard is given to refresh from.
  std::vector<RoundId> take_due(ShardId shard) {
    std::vector<RoundId> rounds;
    for (const auto& commit : rounds_->take_due(shards_[shard]).commits) rounds.push_back(commit->rows.round);
    return rounds;
  }
  void end_epoch() {
    Task end;
    end.ends_epoch = true;
    for (LocalShard& shard : shards_) shard.steps.add(end);
  }

  std::unique_ptr<WorkerState> state_;
  std::vector<LocalShard> shards_;
  std::unique_ptr<SharedRounds> rounds_;
};

class LedgerByStaleness : public LedgerOfShards, public ::testing::WithParamInterface<std::uint32_t> {};

TEST_P(LedgerByStaleness, APushSeesAllCommitsButTheLastOfTheStaleness) {
  begin(GetParam());
  for (RoundId k = 0; k < 5; ++k) {
    ASSERT_TRUE(rounds_->begin(rows_of(k + 1, {0})).ok());
    const RoundId due = k - std::min<RoundId>(k, GetParam());
    if (due > 0) {
      EXPECT_FALSE(rounds_->may_step(shards_[0])) << "push " << k;
      commit(due);
    }
    for (const ShardId shard : {0U, 1U}) {
      EXPECT_TRUE(rounds_->may_step(shards_[shard])) << "push " << k;
      EXPECT_EQ(take_due(shard), due > 0 ? std::vector<RoundId>{due} : std::vector<RoundId>{});
      EXPECT_EQ(push(shard, k + 1), 10.0 * static_cast<double>(due));
    }
  }
  EXPECT_EQ(sent<Parts>(kPartition).size(), 5U) << "one sum for both shards";
  EXPECT_EQ(rounds_->epoch(shards_[1]), 3U);
  end_epoch();
  EXPECT_FALSE(rounds_->may_step(shards_[0])) << "an epoch ends when all its commits were seen";
  for (RoundId round = 5 - std::min(4U, GetParam()); round <= 5; ++round) commit(round);
  EXPECT_TRUE(rounds_->may_step(shards_[0]) && rounds_->may_refresh(shards_[0]));
  EXPECT_FALSE(rounds_->is_refreshed(shards_[0]));
  EXPECT_EQ(take_due(0).size(), 1U + std::min(4U, GetParam()));
  EXPECT_TRUE(rounds_->is_refreshed(shards_[0]));
  EXPECT_FALSE(rounds_->may_refresh(shards_[0]));
  EXPECT_TRUE(rounds_->has_unseen());
  take_due(1);
  EXPECT_FALSE(rounds_->has_unseen());
}

INSTANTIATE_TEST_SUITE_P(Stalenesses, LedgerByStaleness, ::testing::Values(0U, 1U, 2U, 7U));

TEST_F(LedgerOfShards, AnAsynchronousPushSeesWhatHasCome) {
  begin(0, true);
  for (const RoundId round : {1, 2, 3}) {
    ASSERT_TRUE(rounds_->begin(rows_of(round, {0})).ok());
    for (const ShardId shard : {0U, 1U}) EXPECT_EQ(push(shard, round), 0);
  }
  EXPECT_TRUE(rounds_->may_step(shards_[0]));
  EXPECT_EQ(take_due(0), std::vector<RoundId>{});
  commit(1);
  EXPECT_EQ(take_due(0), std::vector<RoundId>{1});
  end_epoch();
  EXPECT_FALSE(rounds_->may_step(shards_[0]));
  commit(2);
  commit(3);
  EXPECT_EQ(take_due(0), (std::vector<RoundId>{2, 3}));
  EXPECT_EQ(take_due(1), (std::vector<RoundId>{1, 2, 3})) << "a commit is kept until the last shard has seen it";
}

class RecordingPush final : public Push {
 public:
  std::uint64_t items() const override { return 1; }
  void refresh(const Commit& commit) override {
    received.push_back(commit.round);
    throw std::runtime_error("no");
  }
  std::vector<RoundId> received;
};

std::shared_ptr<const RoundDeltas> round_of(RoundId number) {
  RoundDeltas round;
  round.rows.round = number;
  return std::make_shared<const RoundDeltas>(std::move(round));
}

TEST(Refresh, OneThatThrowsIsNamedAndIsTheLast) {
  RecordingPush push;
  const Status status = Refresh{{round_of(7), round_of(8)}}.run("recording", 3, push);
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_NE(status.what().find("Push::refresh, round 7, shard 3"), std::string::npos) << status.what();
  EXPECT_EQ(push.received, (std::vector<RoundId>{7}));
}

}  // namespace
}  // namespace rota
