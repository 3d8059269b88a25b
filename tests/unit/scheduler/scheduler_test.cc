// tests/unit/scheduler/scheduler_test.cc -- one scheduler on small scripts, with everybody else played by the test.
#include "scheduler/scheduler.h"

#include <gtest/gtest.h>

#include "base/cut.h"

namespace rota {
namespace {

constexpr NodeId kSelf{Role::scheduler, 0}, kPartition{Role::partition, 0};

// What the plugin's schedule does; each test sets it anew.
struct Play {
  std::uint32_t pipeline = 1;
  std::uint32_t rounds_in_epoch = 2;
  std::uint32_t slices_cut = 2;
  std::vector<Key> shared = {3};
  TableId table = 0;
  bool throws = false;
  std::vector<double> heard;  // values that came back
  std::vector<std::uint64_t> drawn;
};
Play play;

class PlayedSchedule final : public Schedule {
 public:
  Cut cut(const Census&, std::uint32_t) override {
    Cut cut;
    cut.slices.resize(play.slices_cut);
    return cut;
  }
  std::uint32_t pipeline() const override { return play.pipeline; }
  Round next(Random& random) override {
    if (play.throws) throw std::runtime_error("no more ideas");
    play.drawn.push_back(random());
    Round round;
    round.table = play.table;
    round.shared = play.shared;
    round.ends_epoch = ++made_ % play.rounds_in_epoch == 0;
    return round;
  }
  void feedback(std::span<const Delta> deltas) override {
    for (const Delta& delta : deltas) play.heard.push_back(delta.value[0]);
  }
  void save(Writer& out) const override { out.put(made_); }
  void restore(Reader& in) override { made_ = in.get<std::uint64_t>(); }

 private:
  std::uint64_t made_ = 0;
};

const Plugin& plugin() {
  static const Plugin made = [] {
    Plugin plugin;
    plugin.name = "played";
    plugin.tables = [](const Job&) {
      return std::vector<Table>{{"sums", Table::Kind::shared, 10, 1, 1}, {"rows", Table::Kind::sliced, 4, 0, 0}};
    };
    plugin.schedule = [](const Job&) -> std::unique_ptr<Schedule> { return std::make_unique<PlayedSchedule>(); };
    plugin.slice = [](const Job&, std::span<const Key>) -> std::unique_ptr<Slice> { return nullptr; };
    return plugin;
  }();
  return made;
}

class SchedulerNode : public ::testing::Test {
 protected:
  SchedulerNode() { start(); }
  void start() {
    play = {};
    Job job;
    job.seed = 5;
    job.slices = 2;
    scheduler_ = std::make_unique<Scheduler>(SchedulerSettings{0, 1, 3, 0}, plugin(), job);
    said_.clear();
  }
  Status hear(NodeId from, const Message& message) {
    Outbox out(kSelf, world_);
    Status status = scheduler_->step({from, kSelf, message}, out);
    said_.insert(said_.end(), out.sent.begin(), out.sent.end());
    return status;
  }
  void begin() {
    ASSERT_TRUE(hear(kCoordinator, Welcome{}).ok());
    ASSERT_TRUE(hear(kCoordinator, Weights{}).ok());
    ASSERT_TRUE(hear(kCoordinator, Start{1, 1}).ok());
  }
  template <typename M>
  std::vector<M> sent(NodeId to) const {
    std::vector<M> all;
    for (const Envelope& envelope : said_)
      if (envelope.to == to && std::holds_alternative<M>(envelope.message))
        all.push_back(std::get<M>(envelope.message));
    return all;
  }
  std::size_t rounds_sent() const {
    std::size_t all = 0;
    for (const Rounds& rounds : sent<Rounds>(kCoordinator)) {
      EXPECT_EQ(rounds.first, all + 1) << "rounds are numbered without gaps";
      all += rounds.rounds.size();
    }
    return all;
  }
  static Deltas deltas(RoundId round, double value) {
    Writer values;
    values.put(value);
    return {SharedRows{round, 0, {3}}, Bytes::from(values.take())};
  }

  std::unique_ptr<Scheduler> scheduler_;
  std::vector<Envelope> said_;

 private:
  Outbox::World world_;
};

TEST_F(SchedulerNode, CutsAndTells) {
  ASSERT_TRUE(hear(kCoordinator, Welcome{}).ok());
  ASSERT_TRUE(hear(kCoordinator, Weights{{1, 2}}).ok());
  ASSERT_EQ(sent<CutMade>(kCoordinator).size(), 1U);
  EXPECT_EQ(sent<CutMade>(kCoordinator).at(0).cut.slices.size(), 2U);
  EXPECT_EQ(rounds_sent(), 0U) << "not before START";
}

TEST_F(SchedulerNode, ACutOfAnotherSizeIsTheSchedulesFault) {
  play.slices_cut = 3;
  const Status status = hear(kCoordinator, Weights{});
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_EQ(status.what(), "schedule: a cut into 3 slices, wanted were 2");
}

TEST_F(SchedulerNode, KeepsAsManyRoundsOutAsThePipelineAllows) {
  play.pipeline = 3;
  play.rounds_in_epoch = 100;
  begin();
  EXPECT_EQ(rounds_sent(), 3U);
  ASSERT_TRUE(hear(kPartition, deltas(1, 7)).ok());
  EXPECT_EQ(play.heard, (std::vector<double>{7}));
  EXPECT_EQ(rounds_sent(), 3U);
  ASSERT_TRUE(hear(kCoordinator, RoundsDone{1}).ok());
  EXPECT_EQ(rounds_sent(), 4U);
  ASSERT_TRUE(hear(kCoordinator, RoundsDone{1}).ok());
  EXPECT_EQ(rounds_sent(), 4U) << "nothing new is done";
}

TEST_F(SchedulerNode, WithoutFeedbackWholeEpochsAreOutAhead) {
  play.pipeline = 0;
  begin();
  EXPECT_EQ(rounds_sent(), 4U) << "two epochs of two rounds";
  ASSERT_TRUE(hear(kCoordinator, RoundsDone{2}).ok());
  EXPECT_EQ(rounds_sent(), 6U);
  ASSERT_TRUE(hear(kCoordinator, RoundsDone{6}).ok());
  EXPECT_EQ(rounds_sent(), 6U) << "three epochs were asked for";
}

TEST_F(SchedulerNode, RandomNumbersAreThoseOfTheEpoch) {
  play.pipeline = 0;
  begin();
  ASSERT_EQ(play.drawn.size(), 4U);
  const auto first = play.drawn;
  EXPECT_NE(first[0], first[2]);
  start();
  play.pipeline = 0;
  ASSERT_TRUE(hear(kCoordinator, Weights{}).ok());
  ASSERT_TRUE(hear(kCoordinator, Start{2, 3}).ok());  // epoch 2 alone, as after a resume
  EXPECT_EQ(play.drawn.at(0), first[2]);
}

TEST_F(SchedulerNode, ARoundOfRowsThatAreNotThereIsTheSchedulesFault) {
  play.shared = {10};
  ASSERT_TRUE(hear(kCoordinator, Weights{}).ok());
  Status status = hear(kCoordinator, Start{1, 1});
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_EQ(status.what(), "schedule, round 1: table sums has no row 10");
  EXPECT_EQ(rounds_sent(), 0U);
  start();
  play.table = 1;
  ASSERT_TRUE(hear(kCoordinator, Weights{}).ok());
  EXPECT_EQ(hear(kCoordinator, Start{1, 1}).what(), "schedule, round 1: table 1 is not a shared table");
}

TEST_F(SchedulerNode, WhatTheScheduleThrowsNamesPluginAndHook) {
  play.throws = true;
  ASSERT_TRUE(hear(kCoordinator, Weights{}).ok());
  const Status status = hear(kCoordinator, Start{1, 1});
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_EQ(status.what(), "plugin played, Schedule::next, scheduler-0: no more ideas");
}

TEST_F(SchedulerNode, SavesTheStateAtTheEpochsEndAndTheCut) {
  play.pipeline = 0;
  begin();
  ASSERT_TRUE(hear(kCoordinator, Save{1, 0}).ok());
  const auto puts = sent<Put>(kPartition);
  ASSERT_EQ(puts.size(), 2U);
  EXPECT_EQ(puts[0].object, Object::schedule);
  Reader state(puts[0].bytes.view());
  EXPECT_EQ(state.get<std::uint64_t>(), 2U) << "as it was after two rounds, though four are out";
  EXPECT_EQ(puts[1].object, Object::cut);
  Reader cut(puts[1].bytes.view());
  EXPECT_TRUE(decode_cut(cut).has_value());
  for (const Put& put : puts) EXPECT_EQ(put.hash, hash128(put.bytes.view()));
  EXPECT_EQ(sent<Saved>(kCoordinator).size(), 1U);
}

TEST_F(SchedulerNode, AResumedOneWaitsForItsStateAndTheRows) {
  Welcome welcome;
  welcome.resume = 1;
  ASSERT_TRUE(hear(kCoordinator, welcome).ok());
  ASSERT_TRUE(hear(kCoordinator, Weights{}).ok());
  ASSERT_TRUE(hear(kCoordinator, Start{2, 3}).ok());
  ASSERT_EQ(sent<Fetch>(kPartition).size(), 1U);
  Writer state;
  state.put(std::uint64_t{2});
  ASSERT_TRUE(hear(kPartition, Fetched{Object::schedule, 0, Bytes::from(state.take())}).ok());
  EXPECT_TRUE(sent<Rounds>(kCoordinator).empty());
  ASSERT_TRUE(hear(kPartition, deltas(0, 5)).ok());
  ASSERT_EQ(sent<Rounds>(kCoordinator).size(), 1U);
  EXPECT_EQ(sent<Rounds>(kCoordinator).at(0).first, 3U);
}

TEST_F(SchedulerNode, AStateThatIsDamagedIsADiskError) {
  Welcome welcome;
  welcome.resume = 1;
  ASSERT_TRUE(hear(kCoordinator, welcome).ok());
  ASSERT_TRUE(hear(kCoordinator, Weights{}).ok());
  ASSERT_TRUE(hear(kCoordinator, Start{2, 3}).ok());
  const Status status = hear(kPartition, Fetched{Object::schedule, 0, Bytes::from(std::vector<std::byte>(9))});
  EXPECT_EQ(status.code(), ExitCode::disk);
}

TEST_F(SchedulerNode, WhatIsNotForASchedulerOrNotDueIsRefused) {
  begin();
  for (const Message& message : {Message(Tasks{}), Message(Lease{}), Message(Parts{}), Message(Hello{})})
    EXPECT_EQ(hear(kCoordinator, message).code(), ExitCode::bug);
  EXPECT_EQ(hear(kPartition, deltas(9, 1)).code(), ExitCode::bug);
}

}  // namespace
}  // namespace rota
