// The arguments of hooks, and what is refused.  Models are compared with
// those of real jobs in tests/system/serial_host_test.py.
#include "rota/testing/serial_host.h"

namespace rota {
namespace {

// What the probe's hooks do; set by a test.
struct Behaviour {
  bool started = false;  // rows begin with their keys
  bool wrong_row = false, note = false, infinite = false, lose_item = false, wrong_slice = false;
  std::uint32_t rounds = 4;  // of an epoch
  std::vector<double> seen;  // by the pushes of shard 0: the row's value
  int starts = 0, fed_back = 0;
} behaviour;

class ProbePush final : public SharedPush, public SlicePush<Slice> {
 public:
  explicit ProbePush(ShardId shard) : shard_(shard) {}
  std::uint64_t items() const override { return shard_ + 1; }
  void facts(Facts& facts) const override { facts.add("items", static_cast<double>(items())); }
  void start(Random&, Random& common) override {
    ++behaviour.starts;
    drawn_ = static_cast<double>(common.below(1000));
  }
  std::uint64_t push(const SliceTask&, Slice&, Random&) override { return 0; }
  std::uint64_t push(const SharedTask& task, Random&) override {
    if (shard_ == 0) behaviour.seen.push_back(task.entries[0].value[0]);
    task.entries[0].part[0] = behaviour.infinite ? 1 / (task.entries[0].value[0] * 0) : 1;
    if (behaviour.note) task.note.put(1);
    return 1;
  }
  void evaluate(Terms terms) const override {
    terms["items"] += static_cast<double>(items()) - (behaviour.lose_item && shard_ == 1 ? 1 : 0);
    terms["drawn"] += drawn_;
  }
  void state(Archive& list) override { list(drawn_); }

 private:
  ShardId shard_;
  double drawn_ = 0;
};

class ProbeSchedule final : public Schedule {
 public:
  explicit ProbeSchedule(std::uint32_t shards) : shards_(shards) {}
  Round next(Random&) override {
    Round round;
    round.shared = {behaviour.wrong_row ? Key{9} : Key{2}};
    if (behaviour.wrong_slice) round.owned.assign(shards_, SliceId{0});
    round.ends_epoch = ++at_ % behaviour.rounds == 0;
    return round;
  }
  std::uint32_t pipeline(std::uint32_t wish) const override { return wish; }
  void feedback(const Commit&) override { ++behaviour.fed_back; }
  std::optional<bool> converged() const override { return false; }

 private:
  std::uint32_t shards_, at_ = 0;
};

class Probe final : public App {
 public:
  explicit Probe(const Job& job) : job_(job) {}
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    std::vector<std::unique_ptr<Push>> out;
    for (const ShardId shard : hosted) out.push_back(std::make_unique<ProbePush>(shard));
    return out;
  }
  std::vector<Table> tables(const Facts&) const override {
    return {{.name = "rows", .keys = 5, .row_width = 1, .part_width = 1, .started = behaviour.started}};
  }
  void start_row(const Facts&, TableId, Key key, std::span<double> row, Random&) const override {
    row[0] = static_cast<double>(key);
  }
  std::vector<Term> terms() const override { return {{"items", Term::Kind::conserved}, {"drawn"}}; }
  std::vector<Score> scores() const override { return {{.name = "mean_draw", .term = "drawn", .count = "items"}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<ProbeSchedule>(job_.shards);
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<AddPull>(); }

 private:
  const Job& job_;
};

class SerialHostTest : public testing::Test {
 protected:
  SerialHostTest() {
    behaviour = {};
    plugin_.name = "probe";
    plugin_.epochs = 3;
    plugin_.app = [](const Job& job) -> std::unique_ptr<App> { return std::make_unique<Probe>(job); };
  }
  Job job(std::map<std::string, std::string> given = {}) {
    given.try_emplace("shards", "4");
    return serial_job(plugin_, given, {});
  }
  Plugin plugin_;
};

int rows_of(const SerialHost& host) {
  int count = 0;
  host.rows().for_each([&](TableId, Key, std::span<const double>) { ++count; });
  return count;
}

TEST_F(SerialHostTest, ThePluginOrTheUserSetsTheEpochs) {
  SerialHost host(plugin_, job());
  host.run();
  EXPECT_EQ(host.epochs(), 4U) << "the next one";
  EXPECT_EQ(host.rounds(), 12U);
  EXPECT_FALSE(host.done()) << "the schedule has not ended the job";
  EXPECT_EQ(host.converged(), std::optional(false));
  EXPECT_EQ(host.row(0, 2), std::vector<double>{48}) << "four shards, twelve rounds";
  EXPECT_EQ(host.row(0, 1), std::vector<double>{0});
  EXPECT_EQ(rows_of(host), 1);
  EXPECT_EQ(host.facts().count("items"), 10U);
  SerialHost two(plugin_, job({{"epochs", "2"}}));
  two.run();
  EXPECT_EQ(two.epochs(), 3U);
}

TEST_F(SerialHostTest, APushSeesTheCommitsOfItsStaleness) {
  SerialHost(plugin_, job()).run_epoch();
  EXPECT_EQ(behaviour.seen, (std::vector<double>{0, 4, 8, 12}));
  behaviour.seen.clear();
  SerialHost(plugin_, job({{"staleness", "2"}})).run_epochs(2);
  EXPECT_EQ(behaviour.seen, (std::vector<double>{0, 0, 0, 4, 16, 16, 16, 20})) << "and all at an epoch's end";
}

TEST_F(SerialHostTest, ATracerSeesTheHooksAndMayEndThem) {
  std::vector<std::string> loading, round;
  SerialHost host(plugin_, job({{"shards", "2"}}), [&](const char* hook, RoundId number) {
    if (number == 2 && hook == std::string("Pull::pull")) throw std::runtime_error("enough");
    (number == 0 ? loading : round).push_back(std::string(hook) + " " + std::to_string(number));
  });
  EXPECT_EQ(loading.front(), "check 0");
  EXPECT_NE(std::ranges::find(loading, "load 0"), loading.end());
  EXPECT_THROW(host.run_epoch(), std::runtime_error);
  EXPECT_EQ(std::vector(round.begin(), round.begin() + 4),
            (std::vector<std::string>{"Schedule::next 1", "Push::push 1", "Push::push 1", "Pull::pull 1"}));
  EXPECT_EQ(round.back(), "Push::push 2");
}

TEST_F(SerialHostTest, RowsMayStartWithOtherValuesThanZeros) {
  behaviour.started = true;
  SerialHost host(plugin_, job());
  EXPECT_EQ(rows_of(host), 5);
  EXPECT_EQ(host.row(0, 4), std::vector<double>{4});
  host.run_epoch();
  EXPECT_EQ(behaviour.seen, (std::vector<double>{2, 6, 10, 14}));
}

TEST_F(SerialHostTest, ScoresAreMadeOfTerms) {
  SerialHost host(plugin_, job());
  const std::vector<double> terms = host.evaluate();
  EXPECT_EQ(host.score("mean_draw"), terms[1] / 10);
  EXPECT_THROW(host.score("another"), std::out_of_range);
}

TEST_F(SerialHostTest, AScheduleWithoutAPipelineIsFedNothing) {
  SerialHost(plugin_, job()).run_epoch();
  EXPECT_EQ(behaviour.fed_back, 0);
  SerialHost(plugin_, job({{"pipeline", "3"}})).run_epoch();
  EXPECT_EQ(behaviour.fed_back, 4);
}

TEST_F(SerialHostTest, ARestoredJobIsNotStarted) {
  SerialHost host(plugin_, job());
  EXPECT_EQ(behaviour.starts, 4);
  host.run_epoch();
  const SerialHost::Snapshot middle = host.save();
  const std::string hash = host.model_hash();
  const std::vector<double> terms = host.evaluate();
  EXPECT_EQ(std::fmod(terms[1], 4.0), 0) << "all shards were given the same random number";
  host.run();
  const SerialHost::Snapshot end = host.save();
  EXPECT_NE(host.model_hash(), hash);
  SerialHost other(plugin_, job());
  behaviour.starts = 0;
  other.restore(middle);
  EXPECT_EQ(behaviour.starts, 0);
  EXPECT_EQ(other.model_hash(), hash);
  EXPECT_EQ(other.evaluate(), terms);
  other.run();
  EXPECT_EQ(other.save(), end);
  SerialHost::Snapshot damaged = middle;
  damaged.shards[1].pop_back();
  EXPECT_THROW(other.restore(damaged), std::runtime_error);
}

TEST_F(SerialHostTest, RefusesWhatARealJobRefuses) {
  for (bool Behaviour::*wrong :
       {&Behaviour::wrong_row, &Behaviour::note, &Behaviour::infinite, &Behaviour::wrong_slice}) {
    behaviour = {};
    SerialHost host(plugin_, job());
    behaviour.*wrong = true;
    EXPECT_THROW(host.run_epoch(), std::runtime_error);
  }
  behaviour = {};
  SerialHost host(plugin_, job());
  host.run_epoch();
  EXPECT_EQ(host.evaluate()[0], 10);
  behaviour.lose_item = true;
  EXPECT_THROW(host.evaluate(), std::runtime_error) << "a conserved term that is not the items";
}

TEST_F(SerialHostTest, GivesCommandsAModel) {
  SerialHost host(plugin_, job());
  host.run();
  const SerialModel model(host);
  EXPECT_EQ(model.epoch(), 3U);
  EXPECT_EQ(model.row(0, 2)[0], 48);
  int rows = 0;
  model.for_each_row(0, [&](Key key, std::span<const double> value) {
    ++rows;
    EXPECT_EQ(key, 2U);
    EXPECT_EQ(value[0], 48);
  });
  EXPECT_EQ(rows, 1);
  EXPECT_EQ(model.shard(0).size(), sizeof(double));
}

}  // namespace
}  // namespace rota
