// Evaluations of the shards 4 and 5; saving is in saving_test.cc.
#include "worker/epoch_work.h"

#include "tests/unit/core/rounds/even_hosts.h"
#include "tests/unit/worker/worker_stage.h"

namespace rota {
namespace {

using namespace tests;

class EvaluatedPush final : public SlicePush<Slice> {
 public:
  std::uint64_t items() const override { return 1; }
  std::uint64_t push(const SliceTask&, Slice&, Random&) override { return 0; }
  void evaluate(Terms terms) const override { terms["first"] += 0.5; }
  void evaluate_slice(SliceId id, const Slice&, Terms terms) const override { terms["first"] += id; }
  void evaluate_visit(SliceId id, const Slice&, Terms terms) const override {
    if (id == 9) throw std::runtime_error("no");
    terms["second"] += 100 + id;
  }
};

class EvaluatingTest : public ::testing::Test, protected NodeStage {
 protected:
  EvaluatingTest() : NodeStage({Role::worker, 2}) {
    for (int i = 0; i < 2; ++i) state_.shards.push_back({nullptr, std::make_unique<EvaluatedPush>()});
    state_.terms = {{"first"}, {"second"}};
    state_.attached = std::make_unique<Attached>(Facts(), std::vector<Table>());
    state_.attached->cut.slices = {{0}, {1}};
    state_.leases.begin(1, std::make_unique<tests::Rows>(1, 1), {});
  }
  static JobConfig six_shards() {
    JobConfig job;
    job.index = 2;
    job.shards = 6;
    return job;
  }
  Status begin(bool visits) {
    return act([&](Outbox& out) { work_.begin(Evaluate{7, visits}, out); });
  }
  Status visit(ShardId shard, SliceId slice) {
    ROTA_TRY(work_.visit(shard, slice, rows_));
    return act([&](Outbox& out) { work_.visited(out); });
  }

  WorkerState state_{even_hosts(3, 6), *host_app(adding_plugin(), six_shards())};
  EpochWork work_{state_};
  tests::Rows rows_{1, 1};
};

TEST_F(EvaluatingTest, AddsVisitsToTheirShardAndKeepsSlicesApart) {
  ASSERT_TRUE(begin(true).ok());
  for (const ShardId shard : {4U, 5U})
    for (const SliceId slice : {0U, 1U}) {
      EXPECT_TRUE(sent<Evaluated>(kCoordinator).empty());
      EXPECT_TRUE(work_.evaluates());
      ASSERT_TRUE(visit(shard, slice).ok());
    }
  EXPECT_FALSE(work_.evaluates());
  ASSERT_EQ(sent<Evaluated>(kCoordinator).size(), 1U);
  const Evaluated all = sent<Evaluated>(kCoordinator)[0];
  EXPECT_EQ(all.epoch, 7U);
  ASSERT_EQ(all.shards.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(all.shards[i].id, 4U + i);
    EXPECT_EQ(all.shards[i].terms, (std::vector<double>{0.5, 201}));
  }
  ASSERT_EQ(all.slices.size(), 1U);
  EXPECT_EQ(all.slices[0].id, 1U);
  EXPECT_EQ(all.slices[0].terms, (std::vector<double>{1, 0}));
}

TEST_F(EvaluatingTest, WithoutVisitsItIsDoneWithEveryShard) {
  hold_work = true;
  ASSERT_TRUE(begin(false).ok());
  EXPECT_TRUE(sent<Evaluated>(kCoordinator).empty());
  ASSERT_TRUE(finish_work().ok());
  EXPECT_EQ(sent<Evaluated>(kCoordinator).size(), 1U);
}

TEST_F(EvaluatingTest, AThrowInAVisitNamesTheVisit) {
  ASSERT_TRUE(begin(true).ok());
  const Status status = visit(4, 9);
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_NE(status.what().find("Push::evaluate_visit, shard 4, slice 9"), std::string::npos) << status.what();
}

}  // namespace
}  // namespace rota
