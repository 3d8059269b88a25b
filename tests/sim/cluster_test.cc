// The seeded whole-cluster simulation; seeds.h says how many seeds, and how to replay one.
#include "tests/sim/cluster.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/sim/seeds.h"
#include "tests/sim/talk_plugin.h"

namespace rota::sim {
namespace {

// A job and a cluster, drawn from the seed.
Shape draw_shape(std::mt19937_64& random) {
  const auto draw = [&](std::uint32_t least, std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(least, most)(random);
  };
  Shape shape;
  shape.seed = random();
  RunPlan& plan = shape.plan;
  plan.job = {random() | 1, random()};
  plan.shards = draw(1, 9);
  plan.workers = draw(1, std::min(plan.shards, 4U));
  plan.partitions = draw(1, 3);
  plan.stores = draw(0, plan.partitions);
  shape.slices_per_shard = draw(2, 3);
  plan.slices = plan.shards * shape.slices_per_shard;
  plan.epochs = draw(1, 4);
  plan.eval_every = draw(0, 2);
  plan.checkpoint_every = draw(0, 2);
  plan.start_timeout = 3000 * kSecond;
  plan.peer_timeout = plan.disconnect_grace = 3000 * kSecond;
  shape.heavy = draw(0, 1) == 1;
  if (draw(0, 1) == 1) return shape;
  shape.plugin = &talk_plugin();
  plan.slices = 0;
  plan.epochs = draw(1, 8);
  plan.schedulers = draw(1, 3);
  shape.pipeline = draw(1, 4);
  shape.staleness = draw(0, 4);
  shape.options["wish"] = std::to_string(draw(0, 2));
  shape.options["ends_behind"] = draw(0, 1) == 1 ? "true" : "false";
  return shape;
}

// So little in part of the seeds that nearly every object of a checkpoint and chunk of rows waits for the one before.
Credit draw_credit(std::mt19937_64& random) {
  if (random() % 2 == 0) return {};
  const auto draw = [&](std::uint64_t most) { return std::uniform_int_distribution<std::uint64_t>(1, most)(random); };
  const std::uint64_t bytes = draw(500);
  return {bytes, draw(100)};
}

Faults draw_faults(std::mt19937_64& random) {
  const auto draw = [&](double most) { return std::uniform_real_distribution<double>(0, most)(random); };
  Faults faults;
  faults.delay_most_ms = draw(20);
  faults.break_share = random() % 3 == 0 ? 0 : draw(0.02);
  faults.repeat_share = draw(0.05);
  faults.flip_share = random() % 3 == 0 ? draw(0.02) : 0;
  if (random() % 2 == 0) {
    faults.kill_share = draw(0.002);
    faults.kills_most = 3;
  }
  return faults;
}

// The same job on one worker, with nothing going wrong.
Outcome calm_run(const Shape& shape) {
  Shape calm = shape;
  calm.plan.workers = 1;
  calm.plan.stores = 0;
  calm.piece_bytes = kPieceBytes;
  return simulate(calm, Faults{}, 1, false);
}

TEST(Cluster, EverySeedEndsWithTheModelOfTheCalmRun) {
  const Seeds seeds = seeds_from_environment();
  const std::uint64_t count = seeds.count;
  Outcome sum;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + count; ++seed) {
    std::mt19937_64 random(seed);
    Shape shape = draw_shape(random);
    const Faults faults = draw_faults(random);
    shape.credit = draw_credit(random);
    if (random() % 2 == 0) shape.piece_bytes = 64 + random() % 137;
    const Outcome calm = calm_run(shape);
    ASSERT_EQ(calm.code, ExitCode::ok) << "calm run of seed " << seed << ": " << calm.what;
    const Outcome wild = simulate(shape, faults, seed, seeds.replay);
    ASSERT_EQ(wild.code, ExitCode::ok) << "replay with ROTA_SIM_SEED=" << seed << ": " << wild.what;
    ASSERT_EQ(wild.model_hash.hex(), calm.model_hash.hex()) << "replay with ROTA_SIM_SEED=" << seed;
    ASSERT_EQ(wild.state_hash.hex(), calm.state_hash.hex()) << "replay with ROTA_SIM_SEED=" << seed;
    sum.events += wild.events;
    sum.lost += wild.lost;
    sum.repeated += wild.repeated;
    sum.flipped += wild.flipped;
    sum.kills += wild.kills;
    sum.pieces += wild.pieces;
  }
  std::printf(
      "%llu seeds: %llu events, %llu connections broken, %llu messages repeated, %llu damaged, %llu kills, %llu "
      "pieces\n",
      static_cast<unsigned long long>(count), static_cast<unsigned long long>(sum.events),
      static_cast<unsigned long long>(sum.lost), static_cast<unsigned long long>(sum.repeated),
      static_cast<unsigned long long>(sum.flipped), static_cast<unsigned long long>(sum.kills),
      static_cast<unsigned long long>(sum.pieces));
  if (count >= 100) {
    // A simulation in which nothing went wrong would show nothing.
    EXPECT_GT(sum.lost, count);
    EXPECT_GT(sum.repeated, count);
    EXPECT_GT(sum.flipped, count / 10);
    EXPECT_GT(sum.kills, count / 10);
    EXPECT_GT(sum.pieces, count);
  }
}

TEST(Cluster, EqualSeedsGiveEqualRuns) {
  std::mt19937_64 random(7);
  const Shape shape = draw_shape(random);
  const Faults faults = draw_faults(random);
  const Outcome one = simulate(shape, faults, 7, false), two = simulate(shape, faults, 7, false);
  EXPECT_EQ(one.events, two.events);
  EXPECT_EQ(one.model_hash, two.model_hash);
}

TEST(Cluster, AnotherSeedOfTheJobGivesAnotherModel) {
  std::mt19937_64 random(7);
  Shape shape = draw_shape(random);
  const Outcome one = calm_run(shape);
  shape.seed += 1;
  EXPECT_NE(one.model_hash, calm_run(shape).model_hash);
}

}  // namespace
}  // namespace rota::sim
