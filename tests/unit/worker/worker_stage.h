// tests/unit/worker/worker_stage.h -- one worker with two of four shards; the test plays all other processes.
#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rota/dense_slice.h"
#include "tests/unit/core/rounds/even_hosts.h"
#include "tests/unit/core/runtime/node_stage.h"
#include "tests/unit/core/wire/round_messages.h"
#include "worker/worker.h"

namespace rota::tests {

inline constexpr NodeId kWorker{Role::worker, 0}, kOther{Role::worker, 1}, kPartition{Role::partition, 0};
inline constexpr TableId kSums = 0, kTalks = 2;

using Rows = DenseSlice<double>;

// The arguments of a push of shared rows, and the commits that the shard had received.
struct Shown {
  ShardId shard = 0;
  RoundId round = 0;
  std::vector<double> values, argument;
  std::vector<std::uint32_t> blocks;
  std::vector<RoundId> refreshed;
};

// What the plugin's pushes do, and what they record; reset for each test.
struct Play {
  double part = 1;   // every number of every part
  std::string note;  // of every shard, followed by its number
  std::vector<Shown> shown;
  std::string replies;  // that refresh() was given
  std::chrono::milliseconds refresh_takes{0};
  std::string common = "known to all";
  bool restores_in_place = false;
  int loads = 0;  // calls of App::load
  struct Visit {
    SliceId slice;
    std::uint32_t visit;
    bool last;
    std::vector<double> argument;
  };
  std::vector<Visit> visits;
  std::map<ShardId, std::pair<std::uint64_t, std::uint64_t>> started;  // by shard: its own number, the common one
};
inline Play play;

inline std::vector<double> numbers_of(const Argument& argument) {
  return argument.empty() ? std::vector<double>() : argument.as<std::vector<double>>();
}

// Adds one to every number of a slice.
class AddingPush final : public SlicePush<Rows>, public SharedPush {
 public:
  explicit AddingPush(ShardId shard) : shard_(shard) {}

  std::uint64_t items() const override { return 5; }
  void facts(Facts& facts) const override { facts.add("rows", 1.5); }
  void census(Census& census) const override {
    census.resize(4);
    for (std::uint64_t& weight : census) ++weight;
  }
  void start(Random& own, Random& common) override { play.started[shard_] = {own(), common()}; }
  std::uint64_t push(const SliceTask& task, Rows& rows, Random&) override {
    play.visits.push_back({task.slice, task.visit, task.last_visit, numbers_of(task.argument)});
    for (double& number : rows.row(0)) number += 1;
    return 1;
  }
  std::uint64_t push(const SharedTask& task, Random&) override {
    Shown shown{shard_, task.round, {}, numbers_of(task.argument), {}, refreshed_};
    shown.blocks.assign(task.blocks.begin(), task.blocks.end());
    for (const Entry& entry : task.entries) {
      shown.values.insert(shown.values.end(), entry.value.begin(), entry.value.end());
      std::fill(entry.part.begin(), entry.part.end(), play.part);
    }
    play.shown.push_back(shown);
    const std::string note = play.note.empty() ? "" : play.note + std::to_string(shard_);
    task.note.append(note.data(), note.size());
    return 5;
  }
  void refresh(const Commit& commit) override {
    std::this_thread::sleep_for(play.refresh_takes);
    refreshed_.push_back(commit.round);
    play.replies += text_of(commit.reply);
  }
  bool restores_in_place() const override { return play.restores_in_place; }
  void evaluate(Terms terms) const override { terms["sum"] += 1; }
  void evaluate_slice(SliceId, const Rows& rows, Terms terms) const override { terms["sum"] += rows.row(0)[0]; }

 private:
  ShardId shard_;
  std::vector<RoundId> refreshed_;
};

class AddingApp final : public App {
 public:
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    ++play.loads;
    std::vector<std::unique_ptr<Push>> all;
    for (const ShardId shard : hosted) all.push_back(std::make_unique<AddingPush>(shard));
    return all;
  }
  std::vector<Table> tables(const Facts& facts) const override {
    return {{"sums", Table::Kind::shared, facts.count("rows"), 1, 1},
            {"rows", Table::Kind::sliced, 4, 0, 0},
            {"talks", Table::Kind::shared, 9, 1, 1, 1, true}};
  }
  std::vector<Term> terms() const override { return {{"sum", Term::Kind::report}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override { return nullptr; }
  std::unique_ptr<Slice> slice(std::span<const Key> keys) const override {
    return std::make_unique<Rows>(keys.size(), 1);
  }
  void save_common(Writer& out) const override { out.put_text(play.common); }
};

inline const JobFacts kFacts{{{"rows", Fact::Kind::sum, {3}}}, {}};

inline const Plugin& adding_plugin() {
  static const Plugin made = [] {
    Plugin plugin;
    plugin.name = "adding";
    plugin.items = "things";
    plugin.epochs = 33;
    plugin.sliced = true;
    plugin.app = [](const Job&) -> std::unique_ptr<App> { return std::make_unique<AddingApp>(); };
    return plugin;
  }();
  return made;
}

// Each of four slices has one row; slices 0 and 1 begin here.
class WorkerNode : public ::testing::Test, protected NodeStage {
 protected:
  WorkerNode() : NodeStage(kWorker) {
    play = {};
    start(0, false);
  }

  void start(std::uint32_t staleness, bool asynchronous) {
    JobConfig job;
    job.shards = job.slices = 4;
    job.threads = 2;
    job.staleness = staleness;
    job.asynchronous = asynchronous;
    worker_ = std::make_unique<Worker>(even_hosts(2, job.shards), *host_app(adding_plugin(), job));
  }
  Status receive(NodeId from, const Message& message) { return NodeStage::receive(*worker_, from, message); }
  // Up to READY, from the checkpoint of an epoch if one is given.
  void prepare(std::optional<Epoch> resume = {}) {
    Welcome welcome;
    welcome.resume = resume;
    ASSERT_TRUE(receive(kCoordinator, welcome).ok());
    ASSERT_TRUE(receive(kCoordinator, kFacts).ok());
    CutMade cut;
    cut.cut.slices = {{0}, {1}, {2}, {3}};
    ASSERT_TRUE(receive(kCoordinator, cut).ok());
  }
  static Bytes common() {
    Writer out;
    out.put_text(play.common);
    return Bytes::from(out.take());
  }
  static Task owning(RoundId round, ShardId shard, SliceId slice) { return {round, 1, shard, slice}; }
  static Bytes number(double value) {
    Rows rows(1, 1);
    rows.row(0)[0] = value;
    Writer out;
    rows.encode(out);
    return Bytes::from(out.take());
  }
  // A round of these rows for both shards.
  static Tasks sharing(const SharedRows& rows, bool ends_epoch = false, Epoch epoch = 1) {
    Tasks tasks;
    for (ShardId s = 0; s < 2; ++s) tasks.tasks.push_back({rows.round, epoch, s, std::nullopt, true, ends_epoch});
    tasks.shared = {rows};
    return tasks;
  }
  void share(RoundId round, bool ends_epoch = false, Epoch epoch = 1) {
    ASSERT_TRUE(receive(kCoordinator, sharing(rows_of(round, {0}), ends_epoch, epoch)).ok());
  }
  // Row 0 of the table becomes ten times the round.
  void commit(RoundId round) {
    ASSERT_TRUE(receive(kPartition, deltas_of(round, {0}, {10.0 * static_cast<double>(round)})).ok());
  }
  // Of the pushes of a round by both shards: the value of row 0 and the commits received, which must be the same.
  std::pair<double, std::vector<RoundId>> shown_in(RoundId round) const {
    std::vector<Shown> found;
    for (const Shown& one : play.shown)
      if (one.round == round) found.push_back(one);
    EXPECT_EQ(found.size(), 2U) << "pushes of round " << round;
    if (found.size() != 2) return {};
    EXPECT_EQ(found[0].values, found[1].values);
    EXPECT_EQ(found[0].refreshed, found[1].refreshed);
    return {found[0].values.at(0), found[0].refreshed};
  }
  bool pushed(RoundId round) const {
    return std::any_of(play.shown.begin(), play.shown.end(), [&](const Shown& one) { return one.round == round; });
  }

  std::unique_ptr<Worker> worker_;
};

}  // namespace rota::tests
