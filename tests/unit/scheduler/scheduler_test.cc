#include "scheduler/scheduler.h"

#include "core/checkpoint/cut.h"
#include "tests/unit/core/job/empty_app.h"
#include "tests/unit/core/runtime/node_stage.h"
#include "tests/unit/core/wire/round_messages.h"

namespace rota {
namespace {

using tests::bytes_of;
using tests::text_of;

constexpr NodeId kSelf{Role::scheduler, 0}, kPartition{Role::partition, 0};
constexpr TableId kSums = 0;

// What the plugin's schedule does, and what it records; reset for each test.
struct Play {
  std::uint32_t pipeline = 1;
  std::uint32_t rounds_in_epoch = 2;
  std::uint32_t slices_cut = 2;
  std::vector<Key> shared = {3};
  TableId table = kSums;
  std::uint64_t ends_job = 0;  // the round that ends the job
  bool owned = false;          // rounds are of slices only
  bool throws = false;
  bool figures_throw = false;
  std::optional<bool> converged;
  Feedback wished = Feedback::changes;
  std::optional<bool> ends_job_after;  // the result of ends_job(); none: may_end_job() is false
  std::vector<ChangeNorms> norms;      // that came back
  Share share;
  std::uint32_t wish = 0;
  std::vector<double> received;  // values that came back
  std::vector<std::string> replies;
  std::vector<double> arguments;
  std::vector<std::size_t> known;  // at every choice: how many rounds had come back
  std::vector<std::uint64_t> drawn;
};
Play play;

class PlayedSchedule final : public Schedule {
 public:
  explicit PlayedSchedule(Share share) { play.share = share; }

  Cut cut(const Census&, std::uint32_t) override {
    Cut cut;
    cut.slices.resize(play.slices_cut);
    return cut;
  }
  std::uint32_t pipeline(std::uint32_t wish) const override {
    play.wish = wish;
    return play.pipeline;
  }
  Round next(Random& random) override {
    if (play.throws) throw std::runtime_error("no more ideas");
    play.known.push_back(play.received.size());
    play.drawn.push_back(random());
    Round round;
    if (play.owned) {
      round.owned = {0, 1};
    } else {
      round.table = play.table;
      round.shared = play.shared;
      round.argument = Argument(static_cast<double>(++made_));
    }
    round.ends_epoch = play.known.size() % play.rounds_in_epoch == 0;
    round.ends_job = play.known.size() == play.ends_job;
    return round;
  }
  void feedback(const Commit& commit) override {
    play.received.push_back(commit.deltas.empty() ? 0 : commit.deltas[0].value[0]);
    play.norms.push_back(commit.norms);
    play.replies.push_back(text_of(commit.reply));
    play.arguments.push_back(commit.argument.as<double>());
  }
  std::vector<Figure> figures() override {
    if (play.figures_throw) throw std::runtime_error("nothing to report");
    return {{"received", static_cast<double>(play.received.size())}};
  }
  std::optional<bool> converged() const override { return play.converged; }
  Feedback wish() const override { return play.wished; }
  bool may_end_job() const override { return play.ends_job_after.has_value(); }
  bool ends_job() override { return *play.ends_job_after; }
  void state(Archive& list) override {
    std::uint64_t received = play.received.size();
    list(made_, received);
    play.received.resize(received);
  }

 private:
  std::uint64_t made_ = 0;
};

class PlayedApp final : public tests::EmptyApp {
 public:
  std::vector<Table> tables(const Facts&) const override {
    return {{"sums", Table::Kind::shared, 10, 1, 1},
            {"rows", Table::Kind::sliced, 4, 0, 0},
            {"together", Table::Kind::shared, 10, 1, 1, 0, true}};
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share share) const override {
    return std::make_unique<PlayedSchedule>(share);
  }
};

const Plugin& plugin() {
  static const Plugin made = [] {
    Plugin plugin;
    plugin.name = "played";
    plugin.sliced = true;
    plugin.app = [](const Job&) -> std::unique_ptr<App> { return std::make_unique<PlayedApp>(); };
    return plugin;
  }();
  return made;
}

// One partition keeps all rows; three epochs are wanted.
class SchedulerNode : public ::testing::Test, protected tests::NodeStage {
 protected:
  SchedulerNode() : NodeStage(kSelf) { start(); }
  void start(std::uint32_t index = 0, std::uint32_t schedulers = 1, std::uint32_t partitions = 1,
             std::uint32_t pipeline = 0, std::vector<IgnoredOption> ignored = {}) {
    play = {};
    JobConfig job;
    job.index = index;
    job.schedulers = schedulers;
    job.partitions = partitions;
    job.pipeline = pipeline;
    job.ignored = std::move(ignored);
    job.seed = 5;
    job.slices = 2;
    scheduler_ = std::make_unique<Scheduler>(*host_app(plugin(), job));
    forget();
  }
  Status receive(NodeId from, const Message& message) { return NodeStage::receive(*scheduler_, from, message); }
  void begin() {
    ASSERT_TRUE(receive(kCoordinator, Welcome{}).ok());
    ASSERT_TRUE(receive(kCoordinator, JobFacts{}).ok());
    ASSERT_TRUE(receive(kCoordinator, Start{1, 3, 1}).ok());
  }
  std::size_t rounds_sent() const {
    std::size_t all = 0;
    for (const Rounds& rounds : sent<Rounds>(kCoordinator)) {
      EXPECT_EQ(rounds.first, all + 1) << "rounds are numbered without gaps";
      EXPECT_EQ(rounds.feedback, play.pipeline > 0 ? std::optional(play.wished) : std::nullopt);
      all += rounds.rounds.size();
    }
    return all;
  }
  Round newest_round() const {
    Round newest;
    for (const Rounds& rounds : sent<Rounds>(kCoordinator))
      if (!rounds.rounds.empty()) newest = rounds.rounds.back();
    return newest;
  }
  // The epochs whose figures were sent, and the number of rounds with feedback by then.
  std::vector<std::pair<Epoch, double>> figures_sent() const {
    std::vector<std::pair<Epoch, double>> all;
    for (const Rounds& rounds : sent<Rounds>(kCoordinator))
      for (const EpochFigures& one : rounds.figures) {
        EXPECT_EQ(one.figures.at(0).name, "received");
        all.emplace_back(one.epoch, one.figures.at(0).value);
      }
    return all;
  }
  static RoundFeedback feedback_of(RoundId round, double value) {
    return {round, {}, {}, bytes_of(std::vector{value}), bytes_of(std::vector{value})};
  }
  // Row 3 becomes ten times the round.
  void commit(RoundId round) {
    ASSERT_TRUE(receive(kPartition, feedback_of(round, 10.0 * static_cast<double>(round))).ok());
  }

  std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(SchedulerNode, ACutOfAnotherSizeIsTheSchedulesFault) {
  play.slices_cut = 3;
  const Status status = receive(kCoordinator, JobFacts{});
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_EQ(status.what(), "schedule: a cut into 3 slices, wanted were 2");
}

TEST_F(SchedulerNode, TheScheduleGetsItsShareAndTheOptions) {
  start(1, 3, 1, 7);
  begin();
  EXPECT_EQ(play.share.index, 1U);
  EXPECT_EQ(play.share.count, 3U);
  EXPECT_EQ(play.wish, 7U);
  EXPECT_TRUE(sent<CutMade>(kCoordinator).empty()) << "scheduler 0 sends it for all";
}

TEST_F(SchedulerNode, OptionsThatChangeNothingAreReported) {
  start(0, 1, 1, 7, {{"batch", "as it is"}});
  play.pipeline = 2;
  begin();
  const std::vector<IgnoredOption> told = sent<CutMade>(kCoordinator).at(0).ignored;
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].text(), "--batch changes nothing: as it is");
  EXPECT_EQ(told[1].text(), "--pipeline changes nothing: this schedule has 2 rounds out at a time");
  start(0, 1, 1, 7);
  play.pipeline = 7;
  begin();
  EXPECT_TRUE(sent<CutMade>(kCoordinator).at(0).ignored.empty()) << "the schedule uses it";
  start();
  begin();
  EXPECT_TRUE(sent<CutMade>(kCoordinator).at(0).ignored.empty()) << "the option was not given";
}

TEST_F(SchedulerNode, ConvergenceIsReportedWithTheFigures) {
  for (const std::optional<bool> opinion : {std::optional<bool>(), std::optional(false), std::optional(true)}) {
    start();
    play.pipeline = 0;
    play.converged = opinion;
    begin();
    std::size_t epochs = 0;
    for (const Rounds& rounds : sent<Rounds>(kCoordinator))
      for (const EpochFigures& one : rounds.figures) {
        EXPECT_EQ(one.converged, opinion);
        ++epochs;
      }
    EXPECT_GT(epochs, 0U);
  }
}

// ---- the pipeline ----

// Feedback was delivered on arrival, and choices depended on the speed of processes.
TEST_F(SchedulerNode, AChoiceSeesExactlyTheFeedbackOfItsPipeline) {
  play.pipeline = 4;
  play.rounds_in_epoch = 100;
  begin();
  for (const RoundId round : {4, 3, 2}) commit(round);
  EXPECT_EQ(rounds_sent(), 4U) << "feedback is delivered in order";
  commit(1);
  EXPECT_EQ(rounds_sent(), 8U);
  EXPECT_EQ(play.known, (std::vector<std::size_t>{0, 0, 0, 0, 1, 2, 3, 4}));
  EXPECT_EQ(play.received, (std::vector<double>{10, 20, 30, 40}));
}

TEST_F(SchedulerNode, AScheduleThatWantsLessGetsNoChanges) {
  play.wished = Feedback::norms;
  begin();
  ASSERT_TRUE(receive(kPartition, RoundFeedback{1, {1, 2, 3}, bytes_of("more")}).ok());
  EXPECT_EQ(play.norms, (std::vector<ChangeNorms>{{1, 2, 3}}));
  EXPECT_EQ(play.replies, (std::vector<std::string>{"more"}));
  EXPECT_EQ(play.arguments, (std::vector<double>{1}));
  EXPECT_EQ(rounds_sent(), 2U);
  EXPECT_EQ(receive(kPartition, feedback_of(2, 1)).code(), ExitCode::bug);
}

TEST_F(SchedulerNode, AnEpochEndsWhenAllItsFeedbackIsIn) {
  play.pipeline = 2;
  play.rounds_in_epoch = 3;
  begin();
  commit(1);
  EXPECT_EQ(rounds_sent(), 3U);
  commit(2);
  EXPECT_EQ(rounds_sent(), 3U) << "the next is of another epoch";
  EXPECT_TRUE(figures_sent().empty());
  commit(3);
  EXPECT_EQ(figures_sent(), (std::vector<std::pair<Epoch, double>>{{1, 3}}));
  EXPECT_EQ(rounds_sent(), 5U) << "and the pipeline is filled again";
  EXPECT_EQ(play.known, (std::vector<std::size_t>{0, 0, 1, 3, 3}));
}

TEST_F(SchedulerNode, WithoutFeedbackWholeEpochsAreChosenAhead) {
  play.pipeline = 0;
  begin();
  EXPECT_EQ(rounds_sent(), 4U) << "two epochs of two rounds";
  EXPECT_EQ(figures_sent().size(), 2U);
  ASSERT_TRUE(receive(kCoordinator, EpochOver{1}).ok());
  EXPECT_EQ(rounds_sent(), 6U);
  ASSERT_TRUE(receive(kCoordinator, EpochOver{3}).ok());
  EXPECT_EQ(rounds_sent(), 6U) << "three epochs were asked for";
}

// Only shared rounds have feedback.
TEST_F(SchedulerNode, RoundsOfSlicesAloneDoNotWaitForFeedback) {
  play.owned = true;
  begin();
  EXPECT_EQ(rounds_sent(), 4U);
}

TEST_F(SchedulerNode, RandomNumbersAreThoseOfTheEpoch) {
  play.pipeline = 0;
  begin();
  ASSERT_EQ(play.drawn.size(), 4U);
  const auto first = play.drawn;
  EXPECT_NE(first[0], first[2]);
  start();
  play.pipeline = 0;
  ASSERT_TRUE(receive(kCoordinator, JobFacts{}).ok());
  ASSERT_TRUE(receive(kCoordinator, Start{2, 3, 3}).ok());  // epochs 2 and 3 only, as after a resume
  EXPECT_EQ(play.drawn.at(0), first[2]);
  start(1, 2, 1, 0);
  begin();
  EXPECT_NE(play.drawn.at(0), first[0]) << "each scheduler has its own";
}

// ---- the end of the job ----

TEST_F(SchedulerNode, AScheduleMayEndTheJobAfterTheLastFeedback) {
  for (const bool ends : {false, true}) {
    start();
    play.ends_job_after = ends;
    begin();
    EXPECT_TRUE(sent<CutMade>(kCoordinator).at(0).may_end_job);
    commit(1);
    EXPECT_TRUE(figures_sent().empty());
    commit(2);
    ASSERT_EQ(figures_sent().size(), 1U);
    for (const Rounds& rounds : sent<Rounds>(kCoordinator))
      for (const EpochFigures& one : rounds.figures) EXPECT_EQ(one.ends_job, ends);
    EXPECT_EQ(rounds_sent(), ends ? 2U : 3U);
  }
}

TEST_F(SchedulerNode, AfterTheRoundThatEndsTheJobNoneIsChosen) {
  for (const std::uint32_t pipeline : {0U, 1U, 3U}) {
    start();
    play.pipeline = pipeline;
    play.rounds_in_epoch = 100;
    play.ends_job = 2;
    begin();
    for (RoundId round = 1; round <= 2; ++round)
      if (pipeline > 0) commit(round);
    ASSERT_EQ(rounds_sent(), 2U) << "pipeline " << pipeline;
    const Round last = newest_round();
    EXPECT_TRUE(last.ends_job);
    EXPECT_TRUE(last.ends_epoch) << "which goes with it";
    EXPECT_EQ(figures_sent().size(), 1U);
    ASSERT_TRUE(receive(kCoordinator, EpochOver{1}).ok());
    EXPECT_EQ(rounds_sent(), 2U);
    ASSERT_TRUE(receive(kCoordinator, Save{1, 0}).ok());
    EXPECT_EQ(sent<Saved>(kCoordinator).size(), 1U);
  }
}

TEST_F(SchedulerNode, OneOfSeveralContinuesUntilAllEndTheJob) {
  start(0, 2, 1, 0);
  play.pipeline = 0;
  play.ends_job = 2;
  begin();
  EXPECT_EQ(rounds_sent(), 4U);
}

// ---- faults of a schedule ----

TEST_F(SchedulerNode, ARoundOfRowsThatAreNotThereIsTheSchedulesFault) {
  play.shared = {10};
  ASSERT_TRUE(receive(kCoordinator, JobFacts{}).ok());
  const Status status = receive(kCoordinator, Start{1, 1, 1});
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_EQ(status.what(), "schedule, round 1: table sums has no row 10");
  EXPECT_EQ(rounds_sent(), 0U);
}

TEST_F(SchedulerNode, WhatTheScheduleThrowsNamesPluginHookAndRound) {
  play.throws = true;
  ASSERT_TRUE(receive(kCoordinator, JobFacts{}).ok());
  const Status status = receive(kCoordinator, Start{1, 1, 1});
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_EQ(status.what(), "plugin played, Schedule::next, round 1: no more ideas");
}

// It was reported as one of save().
TEST_F(SchedulerNode, AThrowInFiguresNamesFigures) {
  play.pipeline = 0;
  play.figures_throw = true;
  ASSERT_TRUE(receive(kCoordinator, JobFacts{}).ok());
  EXPECT_EQ(receive(kCoordinator, Start{1, 1, 1}).what(),
            "plugin played, Schedule::figures, epoch 1: nothing to report");
}

// ---- checkpoints ----

TEST_F(SchedulerNode, SavesTheStateAtTheEpochsEndAndTheCut) {
  play.pipeline = 0;
  begin();
  ASSERT_TRUE(receive(kCoordinator, Save{1, 0}).ok());
  const auto puts = sent<Put>(kPartition);
  ASSERT_EQ(puts.size(), 2U);
  EXPECT_EQ(puts[0].object, Object::schedule);
  Reader state(puts[0].bytes.view());
  EXPECT_EQ(state.get<std::uint64_t>(), 2U) << "the state after two rounds, though four are chosen";
  EXPECT_EQ(puts[1].object, Object::cut);
  Reader cut(puts[1].bytes.view());
  EXPECT_TRUE(decode_cut(cut).has_value());
  for (const Put& put : puts) EXPECT_EQ(put.hash, hash128(put.bytes.view()));
  EXPECT_EQ(sent<Saved>(kCoordinator).size(), 1U);
}

TEST_F(SchedulerNode, ASaveThatComesBeforeTheFeedbackIsAnsweredAfterIt) {
  begin();
  commit(1);
  ASSERT_TRUE(receive(kCoordinator, Save{1, 0}).ok());
  EXPECT_TRUE(sent<Put>(kPartition).empty() && sent<Saved>(kCoordinator).empty());
  commit(2);
  ASSERT_EQ(sent<Put>(kPartition).size(), 2U);
  Reader state(sent<Put>(kPartition)[0].bytes.view());
  EXPECT_EQ(state.get<std::uint64_t>(), 2U);
  EXPECT_EQ(state.get<std::uint64_t>(), 2U) << "rounds with feedback";
  EXPECT_EQ(sent<Saved>(kCoordinator).size(), 1U);
  commit(3);
  EXPECT_EQ(sent<Saved>(kCoordinator).size(), 1U) << "once";
}

// Without checkpoints the state of every epoch was kept: 12 bytes a column and epoch filled the memory.
TEST_F(SchedulerNode, StatesOfEpochsThatCanNoLongerBeSavedAreDropped) {
  for (const std::uint32_t pipeline : {0U, 1U}) {
    start();
    play.pipeline = pipeline;
    ASSERT_TRUE(receive(kCoordinator, JobFacts{}).ok());
    ASSERT_TRUE(receive(kCoordinator, Start{1, 100, 1}).ok());
    for (RoundId round = 1; round <= 98; ++round) {
      if (pipeline > 0) commit(round);
      if (round % 2 == 0) {
        ASSERT_TRUE(receive(kCoordinator, EpochOver{static_cast<Epoch>(round / 2)}).ok());
      }
      EXPECT_LE(scheduler_->states_kept(), 4U) << "pipeline " << pipeline << ", round " << round;
    }
    // A signal may stop the run at the last epoch with a finished round, or at any after it.
    ASSERT_TRUE(receive(kCoordinator, Save{49, 0}).ok());
    const auto puts = sent<Put>(kPartition);
    ASSERT_FALSE(puts.empty());
    Reader state(puts[0].bytes.view());
    EXPECT_EQ(state.get<std::uint64_t>(), 98U);
  }
}

TEST_F(SchedulerNode, AnotherSchedulerSavesItsOwnStateAlone) {
  start(1, 2, 3, 0);
  play.pipeline = 0;
  begin();
  ASSERT_TRUE(receive(kCoordinator, Save{1, 0}).ok());
  const auto puts = sent<Put>({Role::partition, 1});
  ASSERT_EQ(puts.size(), 1U);
  EXPECT_EQ(puts[0].object, Object::schedule);
  EXPECT_EQ(puts[0].id, 1U);
  EXPECT_TRUE(sent<Put>(kPartition).empty());
}

TEST_F(SchedulerNode, AResumedOneWaitsForItsState) {
  Welcome welcome;
  welcome.resume = 1;
  ASSERT_TRUE(receive(kCoordinator, welcome).ok());
  ASSERT_TRUE(receive(kCoordinator, JobFacts{}).ok());
  ASSERT_TRUE(receive(kCoordinator, Start{2, 3, 3}).ok());
  ASSERT_EQ(sent<Fetch>(kPartition).size(), 1U);
  Writer state;
  state.put(std::uint64_t{2});
  state.put(std::uint64_t{0});
  EXPECT_TRUE(sent<Rounds>(kCoordinator).empty());
  ASSERT_TRUE(receive(kPartition, Fetched{Object::schedule, 0, Bytes::from(state.take())}).ok());
  const auto rounds = sent<Rounds>(kCoordinator);
  ASSERT_EQ(rounds.size(), 1U);
  EXPECT_EQ(rounds[0].first, 3U);
  EXPECT_EQ(rounds[0].rounds.at(0).argument, Argument(3.0)) << "it continues from its state";
}

TEST_F(SchedulerNode, AStateThatIsDamagedIsADiskError) {
  Welcome welcome;
  welcome.resume = 1;
  ASSERT_TRUE(receive(kCoordinator, welcome).ok());
  ASSERT_TRUE(receive(kCoordinator, JobFacts{}).ok());
  ASSERT_TRUE(receive(kCoordinator, Start{2, 3, 3}).ok());
  const Status status = receive(kPartition, Fetched{Object::schedule, 0, Bytes::from(std::vector<std::byte>(17))});
  EXPECT_EQ(status.code(), ExitCode::disk);
}

TEST_F(SchedulerNode, UnexpectedMessagesAreRefused) {
  begin();
  for (const Message& message : {Message(Tasks{}), Message(Lease{}), Message(Parts{}), Message(Hello{})})
    EXPECT_EQ(receive(kCoordinator, message).code(), ExitCode::bug);
  EXPECT_EQ(receive(kPartition, feedback_of(9, 1)).code(), ExitCode::bug);
}

}  // namespace
}  // namespace rota
