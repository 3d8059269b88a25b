#include "worker/shard_steps.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rota {
namespace {

using What = ShardSteps::Step::What;

Task shared_task(RoundId round, bool ends_epoch = false) {
  Task task;
  task.round = round;
  task.epoch = 3;
  task.shared = true;
  task.ends_epoch = ends_epoch;
  return task;
}

TEST(ShardSteps, ATaskWithASliceAndSharedRowsIsTwoSteps) {
  ShardSteps steps;
  Task task = shared_task(7, true);
  task.slice = 2;
  steps.add(task);
  for (const What what : {What::slice, What::shared, What::epoch_end}) {
    ASSERT_FALSE(steps.empty());
    EXPECT_EQ(steps.front().what, what);
    EXPECT_EQ(steps.take().task.round, 7U);
  }
  EXPECT_TRUE(steps.empty());
}

TEST(ShardSteps, APushSeesAllCommitsButTheLastOfTheStaleness) {
  ShardSteps steps;
  for (RoundId round = 1; round <= 4; ++round) steps.add(shared_task(round, round == 4));
  for (std::uint64_t k = 0; k < 4; ++k) {
    EXPECT_EQ(steps.due(0), k);
    EXPECT_EQ(steps.due(2), k < 2 ? 0 : k - 2);
    EXPECT_EQ(steps.due_asynchronous(1), std::min<std::uint64_t>(k, 1));
    steps.take();
    steps.pushed_shared(3);
  }
  EXPECT_EQ(steps.front().what, What::epoch_end);
  EXPECT_EQ(steps.due(2), 4U) << "an epoch ends when all its commits were seen";
  EXPECT_EQ(steps.due_asynchronous(1), 4U);
  EXPECT_EQ(steps.epoch(), 3U);
  steps.refresh_until(4);
  EXPECT_EQ(steps.refreshed(), 4U);
}

}  // namespace
}  // namespace rota
