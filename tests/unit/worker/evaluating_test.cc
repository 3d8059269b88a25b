// tests/unit/worker/evaluating_test.cc
#include "worker/evaluating.h"

#include <gtest/gtest.h>

#include "rota/dense_slice.h"

namespace rota {
namespace {

class AddingPush final : public Push {
 public:
  std::uint64_t items() const override { return 1; }
  void evaluate(std::span<double> terms) const override { terms[0] += 0.5; }
  void evaluate(SliceId id, const Slice&, std::span<double> terms) const override { terms[0] += id; }
  void evaluate_visit(SliceId id, const Slice&, std::span<double> terms) const override {
    if (id == 9) throw std::runtime_error("no");
    terms[1] += 100 + id;
  }
};

class EvaluatingTest : public ::testing::Test {
 protected:
  static Plugin named() {
    Plugin plugin;
    plugin.name = "adding";
    return plugin;
  }
  const Plugin plugin_ = named();
  AddingPush push_;
  DenseSlice<double> rows_{1, 1};
};

TEST_F(EvaluatingTest, AddsVisitsToTheirShardAndKeepsSlicesApart) {
  Evaluating evaluating(plugin_, 7, 4, 2, 2, 2);
  EXPECT_TRUE(evaluating.visits_left());
  int visits = 0;
  for (const ShardId shard : {4U, 5U})
    for (const SliceId slice : {0U, 1U}) {
      ASSERT_TRUE(evaluating.visit(shard, push_, slice, rows_).ok());
      EXPECT_EQ(evaluating.visited(), ++visits == 4);
    }
  ASSERT_TRUE(evaluating.evaluate(4, push_, {{1, &rows_}}).ok());
  EXPECT_FALSE(evaluating.evaluated());
  ASSERT_TRUE(evaluating.evaluate(5, push_, {}).ok());
  EXPECT_TRUE(evaluating.evaluated());
  const Evaluated all = evaluating.take();
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

TEST_F(EvaluatingTest, AVisitThatThrowsIsNamed) {
  Evaluating evaluating(plugin_, 7, 0, 1, 1, 2);
  const Status status = evaluating.visit(0, push_, 9, rows_);
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_NE(status.what().find("Push::evaluate_visit, shard 0, slice 9"), std::string::npos) << status.what();
}

}  // namespace
}  // namespace rota
