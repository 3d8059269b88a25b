// tests/unit/coordinator/run_script.h -- a coordinator under test, in a run of one worker with two shards, one
// partition, and one scheduler or two, which the test plays.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "coordinator/coordinator.h"
#include "core/base/version.h"
#include "core/job/run_folder.h"
#include "tests/unit/core/runtime/node_stage.h"

namespace rota::tests {

inline constexpr NodeId kScheduler{Role::scheduler, 0}, kOther{Role::scheduler, 1};
inline constexpr NodeId kWorker{Role::worker, 0}, kPartition{Role::partition, 0};

// What the coordinator records.
class Diary final : public Recorder {
 public:
  void event(const std::string& name, const Fields& fields) override {
    std::string line = name;
    for (const auto& [field, value] : fields) line += " " + field + "=" + text_of(value);
    events.push_back(line);
  }
  void epoch(const EpochRecord& record) override { epochs.push_back(record); }
  std::string status(const std::string& missing, std::uint32_t next_worker) const override {
    return "missing " + missing + ", next worker-" + std::to_string(next_worker);
  }
  Status commit(const CommitRecord& record) override {
    commits.push_back(record);
    return commit_answer;
  }
  Status finish(const RunResult& result) override {
    results.push_back(result);
    if (while_finishing) while_finishing();
    return {};
  }
  std::optional<CrashInfo> crash_info(const std::string& process, std::uint64_t pid) override {
    EXPECT_EQ(pid, 7U) << process;
    return words;
  }
  Status roll_back(std::optional<Epoch> newest) override {
    rolled_back.push_back(newest);
    return {};
  }
  bool has(const std::string& event) const {
    return std::any_of(events.begin(), events.end(), [&](const std::string& e) { return e.starts_with(event); });
  }

  std::vector<std::string> events;
  std::vector<EpochRecord> epochs;
  std::vector<CommitRecord> commits;
  std::vector<RunResult> results;
  Status commit_answer;
  std::vector<std::optional<Epoch>> rolled_back;
  std::optional<CrashInfo> words;         // of any process that is lost
  std::function<void()> while_finishing;  // what happens while the result is written
};

inline RunPlan small_plan(Epoch epochs = 1) {
  RunPlan plan;
  plan.hash = {1, 2};
  plan.shards = plan.slices = 2;
  plan.epochs = epochs;
  plan.on_loss = OnLoss::stop;
  return plan;
}

// Of an epoch, as far as a resumed run needs it.
inline CommitRecord commit_of(Epoch epoch) {
  CommitRecord commit;
  commit.app = "counting";
  commit.epoch = epoch;
  commit.next_round = 2 * epoch + 1;
  commit.items = 10;
  return commit;
}

class Script : public NodeStage {
 public:
  explicit Script(RunPlan plan = small_plan())
      : NodeStage(kCoordinator), diary(std::make_shared<Diary>()), plan_(plan), coordinator_(std::move(plan), diary) {
    pass(kSecond);
  }

  void receive(NodeId from, const Message& message) { check(NodeStage::receive(coordinator_, from, message)); }
  void pass(Nanoseconds time) {
    world.now += time;
    check(act([&](Outbox& out) { return coordinator_.tick(out); }));
  }
  // The coordinator's process did not run meanwhile.
  void pause(Nanoseconds time) {
    world.now += time;
    coordinator_.was_suspended(time, world.now);
    check(act([&](Outbox& out) { return coordinator_.tick(out); }));
  }
  void disconnect(NodeId process) {
    check(act([&](Outbox& out) { return coordinator_.peer_disconnected(process, out); }));
  }

  Hello hello(NodeId process, std::uint64_t incarnation = 1) const {
    return {process.name(), kVersion, plan_.hash, incarnation, 7, "node5"};
  }
  void join() {
    for (std::uint32_t i = 0; i < plan_.schedulers; ++i) receive({Role::scheduler, i}, hello({Role::scheduler, i}));
    receive(kWorker, hello(kWorker));
  }
  void prepare(std::vector<Term> terms = {{"loss", Term::Kind::objective}}, std::optional<CutMade> made = {},
               std::vector<Score> scores = {}) {
    join();
    load(std::move(terms), std::move(made), std::move(scores));
  }
  // All are welcomed: they read, cut, and are ready.
  void load(std::vector<Term> terms = {{"loss", Term::Kind::objective}}, std::optional<CutMade> made = {},
            std::vector<Score> scores = {}) {
    Loaded loaded;
    loaded.items = {4, 6};
    loaded.items_unit = "tokens";
    loaded.terms = std::move(terms);
    loaded.scores = std::move(scores);
    loaded.evaluating_pass = evaluating_pass;
    loaded.epochs = app_epochs;
    loaded.app = "counting";
    std::tie(loaded.input, loaded.valid) = contents;
    receive(kWorker, loaded);
    CutMade answer = made.value_or(cut());
    if (answer.tables.empty()) answer.tables = {{"rows", Table::Kind::shared, 10, 1, 1}};
    receive(kScheduler, answer);
    receive(kPartition, Ready{});
    receive(kWorker, Ready{});
  }
  CutMade cut() const {
    CutMade made;
    made.cut.slices.resize(plan_.slices);
    return made;
  }
  // The two rounds of an epoch: the shards swap their slices.
  void schedule(RoundId first = 1, Epoch epoch = 1, bool ends_job = false, std::optional<bool> converged = {}) {
    Rounds rounds;
    rounds.first = first;
    rounds.rounds.resize(2);
    rounds.rounds[0].owned = {0, 1};
    rounds.rounds[1].owned = {1, 0};
    rounds.rounds[1].ends_epoch = true;
    rounds.rounds[1].ends_job = ends_job;
    rounds.figures = {{epoch, {{"drawn", 8}}, converged}};
    receive(kScheduler, rounds);
  }
  // An epoch of two rounds, up to where it would be saved.
  void train(Epoch epoch, double loss = 1) {
    schedule(2 * epoch - 1, epoch);
    end_epoch(epoch);
    evaluate(epoch, loss);
  }
  // A round of one shared row, by a scheduler's own count, with feedback.
  void share(NodeId scheduler, RoundId own, Key key, bool ends_epoch = false, bool ends_job = false) {
    Rounds rounds;
    rounds.first = own;
    rounds.feedback = Feedback::changes;
    rounds.rounds.resize(1);
    rounds.rounds[0].shared = {key};
    rounds.rounds[0].ends_epoch = ends_epoch;
    rounds.rounds[0].ends_job = ends_job;
    receive(scheduler, rounds);
  }
  // A scheduler has all the feedback of an epoch.
  void end_schedule(NodeId scheduler, RoundId next, Epoch epoch, double drawn, bool ends_job = false) {
    Rounds rounds;
    rounds.first = next;
    rounds.feedback = Feedback::changes;
    rounds.figures = {{epoch, {{"drawn", drawn}}, {}, ends_job}};
    receive(scheduler, rounds);
  }
  void end_epoch(Epoch epoch) {
    EpochDone done;
    done.epoch = epoch;
    done.items = 10;
    receive(kWorker, done);
  }
  void evaluate(Epoch epoch, double loss) {
    Evaluated all;
    all.epoch = epoch;
    all.shards = {{0, {loss}}, {1, {0}}};
    all.slices = {{0, {0}}, {1, {0}}};
    receive(kWorker, all);
    Evaluated rows;
    rows.epoch = epoch;
    rows.rows = {0};
    receive(kPartition, rows);
  }
  Written written(Epoch epoch) const {
    Written report;
    report.epoch = epoch;
    report.file = (RunFolder{}.checkpoint(epoch).filename() / RunFolder::partition_file(0)).string();
    report.objects = {{Object::shard, 0, {}}, {Object::shard, 1, {}},  {Object::slice, 0, {}}, {Object::slice, 1, {}},
                      {Object::cut, 0, {}},   {Object::common, 0, {}}, {Object::pull, 0, {}}};
    for (std::uint32_t i = 0; i < plan_.schedulers; ++i) report.objects.push_back({Object::schedule, i, {}});
    return report;
  }
  // Workers and schedulers have put their objects.
  void put(Epoch epoch) {
    receive(kWorker, Saved{epoch});
    for (std::uint32_t i = 0; i < plan_.schedulers; ++i) receive({Role::scheduler, i}, Saved{epoch});
  }
  void save(Epoch epoch) {
    put(epoch);
    receive(kPartition, written(epoch));
  }
  // Seconds in which only these beat, until the run ends.
  void beat(int seconds, const std::vector<NodeId>& beating) {
    for (int i = 0; i < seconds && !ended; ++i) {
      pass(kSecond);
      for (const NodeId process : beating) receive(process, Beat{});
    }
  }
  // Whether the run has ended with this code and message.
  ::testing::AssertionResult ended_with(ExitCode code, const std::optional<std::string>& what = {}) const {
    if (!ended) return ::testing::AssertionFailure() << "it has not ended";
    if (ended->code == code && ended->what == what.value_or(ended->what)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "it ended with " << static_cast<int>(ended->code) << ": " << ended->what;
  }

  std::shared_ptr<Diary> diary;
  Epoch app_epochs = 3;  // that the app wants
  bool evaluating_pass = false;
  std::pair<Hash128, Hash128> contents;  // of the input and the held-out data

 private:
  static void check(const Status& status) { EXPECT_TRUE(status.ok()) << status.what(); }

  RunPlan plan_;
  Coordinator coordinator_;
};

}  // namespace rota::tests
