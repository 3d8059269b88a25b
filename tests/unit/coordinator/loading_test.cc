#include "coordinator/run_preparation.h"

namespace rota {
namespace {

Loaded loaded_of(std::vector<std::uint64_t> items, Census census, std::uint64_t content = 1) {
  Loaded loaded;
  loaded.items = std::move(items);
  loaded.census = std::move(census);
  loaded.items_unit = "tokens";
  loaded.input = {content, 0};
  return loaded;
}

struct HostedPlan : RunPlan {
  ShardHosts hosts;
};

// With workers 0, 1, ... whose shard ranges end at `ends`.
HostedPlan plan_of(const std::vector<ShardId>& ends) {
  HostedPlan plan;
  plan.shards = ends.back();
  std::vector<ShardRange> ranges;
  for (const ShardId end : ends) ranges.push_back({static_cast<std::uint32_t>(ranges.size()), end});
  plan.hosts = *ShardHosts::from(ranges, plan.shards);
  return plan;
}

TEST(Loading, SumsItemsAndCensusesOfAnyLength) {
  const HostedPlan plan = plan_of({1, 3});
  Loading loading(plan, plan.hosts);
  EXPECT_FALSE(loading.add(1, loaded_of({3}, {}))) << "it hosts two";
  EXPECT_FALSE(loading.add(2, loaded_of({3, 4}, {}))) << "it hosts nothing";
  EXPECT_TRUE(loading.add(1, loaded_of({3, 4}, {1, 2, 3})));
  EXPECT_FALSE(loading.add(1, loaded_of({3, 4}, {})));
  EXPECT_FALSE(loading.complete());
  EXPECT_TRUE(loading.add(0, loaded_of({10}, {5})));
  ASSERT_TRUE(loading.complete());
  EXPECT_TRUE(loading.check().ok());
  EXPECT_EQ(loading.items(), 17U);
  EXPECT_EQ(loading.facts()->census, (Census{6, 2, 3}));
}

// Checkpoints were written that could not be read.
TEST(Loading, AFactThatIsNotFiniteIsRefused) {
  const HostedPlan plan = plan_of({2});
  for (const double value : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    Loading loading(plan, plan.hosts);
    Loaded loaded = loaded_of({1, 1}, {});
    loaded.app = "counting";
    loaded.facts = {{{"mean", Fact::Kind::sum, {1}}}, {{"mean", Fact::Kind::sum, {value}}}};
    loading.add(0, loaded);
    EXPECT_EQ(loading.facts().status().code(), ExitCode::failed);
    EXPECT_EQ(loading.facts().status().what(),
              "plugin counting, Push::facts: the fact 'mean' of the job is not a finite number");
  }
}

TEST(Loading, MergesFactsInTheOrderOfTheShards) {
  const HostedPlan plan = plan_of({2, 3});
  Loading loading(plan, plan.hosts);
  Loaded first = loaded_of({1, 1}, {}), last = loaded_of({1}, {});
  const double big = 1e16;
  first.facts = {{{"columns", Fact::Kind::largest, {7}}, {"sum", Fact::Kind::sum, {1}}},
                 {{"sum", Fact::Kind::sum, {big}}}};
  last.facts = {{{"columns", Fact::Kind::largest, {5}}, {"sum", Fact::Kind::sum, {-big}}}};
  loading.add(1, last);
  loading.add(0, first);
  const Facts facts(loading.facts()->facts);
  EXPECT_EQ(facts.count("columns"), 7U);
  EXPECT_EQ(facts.number("sum"), (1 + big) - big);
  last.facts = {{{"columns", Fact::Kind::sum, {5}}}};
  Loading differing(plan, plan.hosts);
  differing.add(0, first);
  differing.add(1, last);
  EXPECT_EQ(differing.facts().status().code(), ExitCode::failed);
}

TEST(Loading, AWorkerWithAnotherContentIsNamed) {
  const HostedPlan plan = plan_of({1, 2});
  Loading loading(plan, plan.hosts);
  loading.add(0, loaded_of({1}, {}));
  loading.add(1, loaded_of({1}, {}, 2));
  EXPECT_EQ(loading.check().code(), ExitCode::bad_data);
  EXPECT_EQ(loading.check().what(), "the input that worker-1 reads has another content than that of worker-0");
}

TEST(Loading, TheObjectInTwoVersionsIsNamed) {
  HostedPlan plan = plan_of({1, 2});
  plan.options = Options({{"input", "s3://bucket/rows/"}, {"valid", ""}});
  for (const bool there : {true, false}) {
    Loading loading(plan, plan.hosts);
    Loaded first = loaded_of({1}, {}), second = loaded_of({1}, {}, 2);
    first.objects = {{"s3://bucket/rows/1", 5, {1, 1}}, {"s3://bucket/rows/2", 5, {2, 2}}};
    second.objects = {{"s3://bucket/rows/1", 5, {1, 1}}};
    if (there) second.objects.push_back({"s3://bucket/rows/2", 5, {3, 3}});
    loading.add(0, first);
    loading.add(1, second);
    EXPECT_EQ(loading.check().what(),
              "the input that worker-1 reads has another content than that of worker-0: s3://bucket/rows/2; "
              "--input=s3://bucket/rows/");
  }
}

TEST(Loading, AResumedRunHasTheDataOfItsCheckpoint) {
  HostedPlan plan = plan_of({1});
  plan.resume.emplace();
  plan.resume->items = 8;
  plan.resume->input = {1, 0};
  Loading loading(plan, plan.hosts);
  loading.add(0, loaded_of({7}, {}));
  EXPECT_EQ(loading.check().what(), "the input has 7 tokens now; the checkpoint was made with 8");
  plan.resume->items = 7;
  EXPECT_TRUE(loading.check().ok());
  plan.resume->valid = {3, 0};
  EXPECT_EQ(loading.check().what(),
            "the held-out data (--valid) has another content than what the checkpoint was made with");
  plan.resume->input = {9, 0};  // the only check was the number of items
  EXPECT_EQ(loading.check().what(), "the input has another content than what the checkpoint was made with");
  EXPECT_EQ(loading.check().code(), ExitCode::bad_data);
}

TEST(Loading, TheObjectThatHasChangedSinceTheCheckpointIsNamed) {
  HostedPlan plan = plan_of({1});
  plan.options = Options({{"input", "s3://bucket/rows/"}, {"valid", ""}});
  plan.resume.emplace();
  plan.resume->items = 7;
  plan.resume->input = {9, 0};
  plan.resume->objects = {{"s3://bucket/rows/1", 5, {1, 1}}, {"s3://bucket/rows/2", 5, {2, 2}}};
  Loading loading(plan, plan.hosts);
  Loaded now = loaded_of({7}, {});
  now.objects = plan.resume->objects;
  now.objects[1].hash = {3, 3};
  loading.add(0, now);
  EXPECT_EQ(loading.check().what(),
            "the input has another content than what the checkpoint was made with: s3://bucket/rows/2; "
            "--input=s3://bucket/rows/");
}

// A run continued from a record of another app, and from one without facts.
TEST(Loading, ARecordThatContradictsTheDataIsRefused) {
  HostedPlan plan = plan_of({1});
  const auto refusal = [&](auto forge) {
    for (auto* const record : {&plan.resume, &plan.best}) {
      record->emplace();
      (*record)->epoch = 3;
      (*record)->items = 7;
      (*record)->input = {1, 0};
      (*record)->app = "counting";
      (*record)->facts = {{"columns", Fact::Kind::sum, {5}}, {"rows", Fact::Kind::sum, {7}}};
    }
    forge();
    Loading loading(plan, plan.hosts);
    Loaded loaded = loaded_of({7}, {});
    loaded.app = "counting";
    loaded.facts = {{{"columns", Fact::Kind::largest, {5}}, {"rows", Fact::Kind::sum, {7}}}};
    loading.add(0, loaded);
    return loading.check();
  };
  EXPECT_TRUE(refusal([] {}).ok());
  EXPECT_EQ(refusal([&] { plan.resume->app = "adding"; }).code(), ExitCode::disk);
  EXPECT_EQ(refusal([&] { plan.resume->app = "adding"; }).what(),
            "commit.json of epoch 3: damaged: app is 'adding', and the run's is 'counting'");
  EXPECT_EQ(refusal([&] { plan.best->facts.clear(); }).what(),
            "commit.json of epoch 3: damaged: facts has no 'columns'");
  EXPECT_EQ(refusal([&] { plan.resume->facts[1].values = {8}; }).what(),
            "commit.json of epoch 3: damaged: the data has another 'rows' than facts");
  EXPECT_EQ(refusal([&] { plan.resume->facts[1].name = "words"; }).what(),
            "commit.json of epoch 3: damaged: facts has 'words', which the data does not have");
}

// 65,536 shards of 3,430 documents took four gigabytes, and did not end.
TEST(Loading, ShardsThatAreMostlyEmptyAreRefused) {
  for (const std::uint64_t full : {400U, 600U}) {
    const HostedPlan plan = plan_of({1000});
    Loading loading(plan, plan.hosts);
    std::vector<std::uint64_t> items(1000, 0);
    std::fill_n(items.begin(), full, 7);
    ASSERT_TRUE(loading.add(0, loaded_of(items, {})));
    EXPECT_EQ(loading.check().code(), full == 400 ? ExitCode::usage : ExitCode::ok);
  }
  const HostedPlan plan = plan_of({8});
  Loading few(plan, plan.hosts);
  ASSERT_TRUE(few.add(0, loaded_of({1, 1, 0, 0, 0, 0, 0, 0}, {})));
  EXPECT_TRUE(few.check().ok());
}

}  // namespace
}  // namespace rota
