#include "coordinator/workforce.h"

namespace rota {
namespace {

using Numbers = std::vector<std::uint32_t>;

RunPlan plan_of(std::uint32_t workers, std::uint32_t shards, OnLoss on_loss = OnLoss::restart) {
  RunPlan plan;
  plan.workers = workers;
  plan.shards = shards;
  plan.on_loss = on_loss;
  return plan;
}

Workforce begun(const RunPlan& plan) {
  Workforce force(plan);
  force.begin_era();
  return force;
}

std::uint32_t of(const Workforce& force, std::uint32_t worker) {
  return force.next().of(worker).size();
}

TEST(Workforce, ANewWorkerTakesShardsFromTheFullest) {
  Workforce force = begun(plan_of(2, 8));  // 0 to 3, 4 to 7
  force.join(2, Joins::as_new);
  ASSERT_TRUE(force.changes());
  const ShardHosts next = force.next();
  for (const std::uint32_t old : {0U, 1U}) {
    const auto before = force.hosts().of(old), later = next.of(old);
    EXPECT_GE(later.first, before.first) << "worker " << old;
    EXPECT_LE(later.end, before.end) << "worker " << old;
  }
  EXPECT_EQ(next.of(0).size() + next.of(1).size() + next.of(2).size(), 8U);
  EXPECT_GE(next.of(2).size(), 2U);
  force.begin_era();
  EXPECT_FALSE(force.changes());
}

TEST(Workforce, AtMostOneWorkerPerShardHosts) {
  Workforce force = begun(plan_of(2, 2));
  force.join(2, Joins::as_new);
  EXPECT_FALSE(force.changes());
  EXPECT_TRUE(force.lose(0)) << "it was a spare";
  EXPECT_EQ(force.next().workers(), (Numbers{2, 1}));
}

TEST(Workforce, ALeavingWorkerIsReplaced) {
  Workforce force = begun(plan_of(2, 8));
  EXPECT_TRUE(force.leave(1));
  EXPECT_TRUE(force.is_leaving(1));
  EXPECT_EQ(force.next().workers(), Numbers{0});
  EXPECT_FALSE(force.leave(0)) << "no other is left";
  force.join(5, Joins::as_spare);
  EXPECT_TRUE(force.leave(0));
  EXPECT_EQ(force.next().workers(), Numbers{5});
  force.begin_era();
  EXPECT_FALSE(force.is_leaving(1));
  force.join(1, Joins::as_named);  // it comes back
  EXPECT_EQ(of(force, 1), 4U);
}

TEST(Workforce, ALostWorkerIsAwaitedUnlessReplaced) {
  Workforce awaiting = begun(plan_of(2, 8));
  EXPECT_FALSE(awaiting.lose(0));
  EXPECT_TRUE(awaiting.awaits(0));
  Workforce moving = begun(plan_of(2, 8, OnLoss::move));
  EXPECT_TRUE(moving.lose(0));
  EXPECT_EQ(moving.next().workers(), Numbers{1});
  EXPECT_TRUE(moving.lose(1));
  EXPECT_TRUE(moving.too_few());
  moving.join(1, Joins::as_named);
  EXPECT_FALSE(moving.too_few());
}

TEST(Workforce, SpareReplacesLostWorker) {
  Workforce force = begun(plan_of(3, 9));
  force.join(3, Joins::as_spare);
  EXPECT_FALSE(force.changes());
  EXPECT_TRUE(force.lose(1));
  EXPECT_EQ(force.next().workers(), (Numbers{0, 3, 2}));
  force.begin_era();
  force.join(1, Joins::as_named);
  EXPECT_FALSE(force.changes());
  EXPECT_TRUE(force.lose(3));
  EXPECT_EQ(force.next().workers(), (Numbers{0, 1, 2}));
}

TEST(Workforce, ALostWorkerWithoutShardsIsNotAwaited) {
  Workforce force = begun(plan_of(2, 8));
  force.join(2, Joins::as_new);
  EXPECT_TRUE(force.lose(2));
  EXPECT_FALSE(force.changes());
  EXPECT_TRUE(force.lose(77)) << "it is unknown";
}

// The place of a worker that had left stayed empty, and the run waited for workers although there was a spare.
TEST(Workforce, SpareReplacesLostReplacement) {
  Workforce force = begun(plan_of(1, 1, OnLoss::move));
  force.join(2, Joins::as_spare);
  force.join(3, Joins::as_spare);
  EXPECT_TRUE(force.leave(0));
  EXPECT_EQ(force.next().workers(), (Numbers{2}));
  EXPECT_TRUE(force.lose(2));
  EXPECT_EQ(force.next().workers(), (Numbers{3}));
  EXPECT_FALSE(force.too_few());
}

// The run paused for lack of workers, although one was there.
TEST(Workforce, ALeavingWorkerStaysIfNoOtherIsLeft) {
  for (const OnLoss on_loss : {OnLoss::restart, OnLoss::move}) {
    Workforce force = begun(plan_of(1, 8, on_loss));
    force.join(1, Joins::as_new);
    if (on_loss == OnLoss::move) force.begin_era();  // it hosts half of the shards by then
    EXPECT_TRUE(force.leave(0));
    EXPECT_TRUE(force.lose(1));
    EXPECT_FALSE(force.too_few());
    EXPECT_FALSE(force.is_leaving(0));
    EXPECT_EQ(force.next().workers(), Numbers{0});
    force.join(1, Joins::as_new);
    EXPECT_TRUE(force.is_leaving(0)) << "now it can go";
    EXPECT_EQ(force.next().workers(), Numbers{1});
  }
}

// A worker that had left permanently was assigned a shard, although there was another.
TEST(Workforce, OnlyAHostStaysIfNoOtherIsLeft) {
  Workforce force = begun(plan_of(1, 1));
  for (const std::uint32_t spare : {1U, 2U}) force.join(spare, Joins::as_spare);
  for (const std::uint32_t worker : {0U, 1U}) EXPECT_TRUE(force.leave(worker)) << worker;
  EXPECT_EQ(force.next().workers(), Numbers{2});
  EXPECT_TRUE(force.lose(2));
  EXPECT_EQ(force.next().workers(), Numbers{0});
  force.join(2, Joins::as_new);
  EXPECT_EQ(force.next().workers(), Numbers{2});
}

TEST(Workforce, ARestartedLeaverStays) {
  Workforce force = begun(plan_of(1, 8));
  force.join(1, Joins::as_new);
  EXPECT_TRUE(force.leave(0));
  EXPECT_TRUE(force.lose(1));
  EXPECT_FALSE(force.lose(0));  // it is restarted
  force.join(1, Joins::as_new);
  EXPECT_EQ(force.next().workers().size(), 2U);
}

TEST(Workforce, ASpareIsNeededAtOnceIfThereAreTooFew) {
  RunPlan plan = plan_of(2, 8, OnLoss::move);
  plan.min_workers = 2;
  Workforce force = begun(plan);
  EXPECT_TRUE(force.lose(0));
  EXPECT_TRUE(force.too_few());
  force.join(9, Joins::as_spare);
  EXPECT_FALSE(force.too_few());
  EXPECT_EQ(of(force, 9), 4U);
}

TEST(Workforce, FasterWorkersGetMoreShards) {
  Workforce force = begun(plan_of(3, 8));
  force.set_speeds({{0, 1.0}, {1, 2.0}, {2, 1.0}});
  EXPECT_TRUE(force.changes());
  EXPECT_EQ(of(force, 0), 2U);
  EXPECT_EQ(of(force, 1), 4U);
  EXPECT_EQ(of(force, 2), 2U);
  force.begin_era();
  force.join(3, Joins::as_new);  // as fast as the others on average
  EXPECT_EQ(of(force, 0) + of(force, 1) + of(force, 2) + of(force, 3), 8U);
  EXPECT_GE(of(force, 3), 1U);
}

}  // namespace
}  // namespace rota
