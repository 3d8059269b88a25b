#include "worker/worker.h"

#include "tests/unit/worker/worker_stage.h"

namespace rota {
namespace {

using namespace tests;

TEST_F(WorkerNode, EvaluatesAndSavesWhatItHolds) {
  prepare();
  ASSERT_TRUE(receive(kOther, Lease{3, 1, 0, number(7)}).ok());
  ASSERT_TRUE(receive(kCoordinator, Evaluate{1}).ok());
  EXPECT_TRUE(sent<Evaluated>(kCoordinator).empty()) << "a slice is still awaited by its task";
  EXPECT_EQ(receive(kCoordinator, Evaluate{1}).code(), ExitCode::bug) << "it was asked before";
  Tasks tasks;
  tasks.tasks = {owning(1, 0, 3)};
  ASSERT_TRUE(receive(kCoordinator, tasks).ok());
  const auto evaluated = sent<Evaluated>(kCoordinator);
  ASSERT_EQ(evaluated.size(), 1U);
  EXPECT_EQ(evaluated[0].shards.size(), 2U);
  ASSERT_EQ(evaluated[0].slices.size(), 3U);
  double sum = 0;
  for (const TermsOf& slice : evaluated[0].slices) sum += slice.terms[0];
  EXPECT_EQ(sum, 8);
  ASSERT_TRUE(receive(kCoordinator, Save{1, 0}).ok());
  EXPECT_EQ(sent<Put>(kPartition).size(), 6U) << "two shards, three slices, the common data";
  for (const Put& put : sent<Put>(kPartition)) EXPECT_EQ(put.hash, hash128(put.bytes.view()));
  EXPECT_EQ(sent<Saved>(kCoordinator).size(), 1U);
}

TEST_F(WorkerNode, OtherMessagesAreRefused) {
  prepare();
  for (const Message& message : {Message(Rounds{}), Message(Hello{}), Message(Written{}), Message(Start{})})
    EXPECT_EQ(receive(kCoordinator, message).code(), ExitCode::bug);
  EXPECT_EQ(receive(kPartition, Fetched{Object::slice, 9, {}}).code(), ExitCode::bug) << "no such slice";
  EXPECT_EQ(receive(kPartition, Fetched{Object::shard, 3, {}}).code(), ExitCode::bug) << "not hosted here";
}

}  // namespace
}  // namespace rota
