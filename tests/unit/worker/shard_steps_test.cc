#include "worker/shard_steps.h"

namespace rota {
namespace {

using What = ShardSteps::Step::What;

TEST(ShardSteps, ATaskWithASliceAndSharedRowsIsTwoSteps) {
  ShardSteps steps;
  Task task;
  task.round = 7;
  task.slice = 2;
  task.shared = task.ends_epoch = true;
  steps.add(task);
  for (const What what : {What::slice, What::shared, What::epoch_end}) {
    ASSERT_FALSE(steps.empty());
    EXPECT_TRUE(steps.next_is(what));
    EXPECT_EQ(steps.take().task.round, 7U);
  }
  EXPECT_TRUE(steps.empty());
  EXPECT_FALSE(steps.next_is(What::slice));
}

}  // namespace
}  // namespace rota
