// The seeded whole-cluster simulation; seeds.h says how many seeds, and how to replay one.
#include "tests/sim/cluster.h"

#include "tests/sim/drawn.h"

namespace rota::sim {
namespace {

// A job and a cluster, drawn from the seed.
Shape exact_shape(std::mt19937_64& random) {
  const auto draw = drawing_from(random);
  Shape shape = draw_cluster(random, exact_plugin());
  RunPlan& plan = shape.plan;
  shape.slices_per_shard = draw(2, 3);
  plan.slices = plan.shards * shape.slices_per_shard;
  draw_epochs(random, plan, 4);
  shape.heavy = draw(0, 1) == 1;
  plan.patience = plan.eval_every > 0 ? draw(0, 2) : 0;
  if (plan.patience > 0) plan.epochs = draw(1, 8);
  return shape;
}

TEST(Cluster, EverySeedEndsWithTheModelOfTheCalmRun) {
  run_seeds(exact_shape);
}

TEST(Cluster, EqualSeedsGiveEqualRuns) {
  std::mt19937_64 random(7);
  const Shape shape = exact_shape(random);
  const Faults faults = draw_faults(random);
  const Outcome one = simulate(shape, faults, 7, false), two = simulate(shape, faults, 7, false);
  EXPECT_EQ(one.events, two.events);
  EXPECT_EQ(one.model_hash, two.model_hash);
}

TEST(Cluster, AnotherSeedOfTheJobGivesAnotherModel) {
  std::mt19937_64 random(7);
  Shape shape = exact_shape(random);
  const Outcome one = calm_run(shape);
  shape.seed += 1;
  EXPECT_NE(one.model_hash, calm_run(shape).model_hash);
}

// Otherwise the seeds would not show that the best model is kept.
TEST(Cluster, ManySeedsEndWithAnEpochThatIsNotTheLast) {
  int early = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    const Shape shape = exact_shape(random);
    if (shape.plan.patience == 0) continue;
    const Outcome calm = calm_run(shape);
    ASSERT_EQ(calm.code, ExitCode::ok) << calm.what;
    early += calm.epoch < shape.plan.epochs ? 1 : 0;
  }
  EXPECT_GT(early, 5);
}

}  // namespace
}  // namespace rota::sim
