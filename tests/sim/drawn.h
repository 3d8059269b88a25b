// tests/sim/drawn.h -- what a seed draws for every cluster, and the test of many seeds; see seeds.h for how many, and
// how to replay one.
#pragma once
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "tests/sim/cluster.h"
#include "tests/sim/seeds.h"

namespace rota::sim {

// `most` is included.
inline auto drawing_from(std::mt19937_64& random) {
  return [&random](std::uint32_t least, std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(least, most)(random);
  };
}

// A cluster that waits for every process.
inline Shape draw_cluster(std::mt19937_64& random, const Plugin& plugin, std::uint32_t partitions_most = 3,
                          std::uint32_t shards_most = 9, std::uint32_t workers_most = 4) {
  const auto draw = drawing_from(random);
  Shape shape;
  shape.plugin = &plugin;
  shape.seed = random();
  RunPlan& plan = shape.plan;
  plan.hash = {random() | 1, random()};
  plan.shards = draw(1, shards_most);
  plan.workers = draw(1, std::min(plan.shards, workers_most));
  plan.partitions = draw(1, partitions_most);
  plan.stores = draw(0, plan.partitions);
  plan.slices = 0;
  plan.start_timeout = plan.peer_timeout = plan.disconnect_grace = 3000 * kSecond;
  return shape;
}
inline void draw_epochs(std::mt19937_64& random, RunPlan& plan, std::uint32_t most) {
  const auto draw = drawing_from(random);
  plan.epochs = draw(1, most);
  plan.eval_every = draw(0, 2);
  plan.checkpoint_every = draw(0, 2);
}

// In part of the seeds so small that nearly every object of a checkpoint and chunk of rows waits for the one before.
inline Credit draw_credit(std::mt19937_64& random) {
  if (random() % 2 == 0) return {};
  const auto draw = [&](std::uint64_t most) { return std::uniform_int_distribution<std::uint64_t>(1, most)(random); };
  const std::uint64_t bytes = draw(500);
  return {bytes, draw(100)};
}

inline Faults draw_faults(std::mt19937_64& random) {
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

// In part of the seeds single processes are lost, and replaced with the timeouts of real runs.
inline void draw_losses(std::mt19937_64& random, Shape& shape, Faults& faults) {
  if (random() % 2 == 0) return;
  const auto draw = [&](double most) { return std::uniform_real_distribution<double>(0, most)(random); };
  shape.plan.peer_timeout = shape.peer_timeout = 10 * kSecond;
  shape.plan.disconnect_grace = 3 * kSecond;
  shape.plan.rejoin_timeout = 120 * kSecond;
  if (random() % 2 == 0) {
    shape.plan.on_loss = OnLoss::move;
    shape.plan.min_workers = 1;
  }
  if (random() % 2 == 0) {
    faults.join_share = draw(0.01);
    faults.joins_most = 3;
    faults.leave_share = draw(0.005);
    faults.leaves_most = 4;
  }
  if (faults.joins_most > 0 && random() % 2 == 0) return;  // no process is lost
  faults.loss_share = draw(0.005);
  faults.losses_most = 4;
  if (random() % 2 == 0) faults.restart_most = kSecond / 10;
  if (random() % 2 == 0) {
    faults.pause_share = draw(0.002);
    faults.pauses_most = 2;
  }
  if (random() % 2 == 0) {
    faults.hang_share = draw(0.01);
    faults.hangs_most = 1;
    faults.cut_share = draw(0.002);
    faults.cuts_most = 2;
  }
  if (random() % 2 == 0) faults.zombie_share = draw(1);
  if (random() % 2 == 0) faults.echo_share = draw(0.02);
  if (random() % 2 == 0) faults.full_share = draw(0.05);
}

// In part of the seeds, processes on machines that do not share the run's folder, and lose their disks.
inline void draw_own_disks(std::mt19937_64& random, Shape& shape, Faults& faults) {
  if (random() % 2 == 0) return;
  const auto draw = [&](double most) { return std::uniform_real_distribution<double>(0, most)(random); };
  shape.own_disk_share = random() % 2 == 0 ? 1 : draw(1);
  faults.disk_loss_share = draw(1);
  shape.plan.copies.chunk = 1 + random() % 200;
  shape.plan.copies.asked = static_cast<std::uint32_t>(1 + random() % 4);
  shape.plan.copies.files = static_cast<std::uint32_t>(1 + random() % 3);
}

// In part of the seeds power is cut, syncs are slow, some slower than the peer timeout, and disks are full.
inline void draw_disks(std::mt19937_64& random, Faults& faults) {
  if (random() % 3 != 0) return;
  const auto draw = [&](double most) { return std::uniform_real_distribution<double>(0, most)(random); };
  const Nanoseconds mosts[] = {20 * kMillisecond, 2 * kSecond, 15 * kSecond};
  faults.sync_most = mosts[random() % 3];
  faults.power_share = draw(1);
  faults.power_at_work_share = draw(0.2);
  faults.kills_most = std::max(faults.kills_most, 2);
  if (random() % 2 == 0) {
    faults.full_disk_share = draw(0.3);
    faults.full_disks_most = 2;
  }
}

// The same job on one worker without faults.
inline Outcome calm_run(const Shape& shape) {
  Shape calm = shape;
  calm.plan.workers = 1;
  calm.plan.stores = 0;
  calm.own_disk_share = 0;
  calm.piece_bytes = kPieceBytes;
  return simulate(calm, Faults{}, 1, false);
}

// Counters over all seeds.  A simulation without faults would show nothing: more than one of each in `seeds_each` seeds
// is expected (0: none), in runs of at least `seeds_least` seeds.
struct Counter {
  const char* name;
  std::uint64_t Outcome::*count;
  std::uint64_t seeds_each = 0, seeds_least = 100;
};
inline constexpr Counter kCounters[] = {
    {"events", &Outcome::events},
    {"connections broken", &Outcome::lost, 1},
    {"messages repeated", &Outcome::repeated, 1},
    {"messages damaged", &Outcome::flipped, 10},
    {"pieces", &Outcome::pieces, 1},
    {"times that all were killed", &Outcome::kills, 10},
    {"processes killed", &Outcome::losses, 4},
    {"processes that hung", &Outcome::pauses, 20},
    {"pieces of work that did not end", &Outcome::hangs, 40},
    {"times that two processes were cut off from each other", &Outcome::cuts, 20},
    {"workers that joined", &Outcome::joins, 10},
    {"workers that were signalled to end", &Outcome::leaves, 20},
    {"times that shards moved without a loss", &Outcome::moves, 20},
    {"lost processes that continued beside their replacements", &Outcome::zombies, 40, 1000},
    {"messages of those", &Outcome::zombie_messages, 4, 1000},
    {"messages that were delivered again much later", &Outcome::echoes, 1},
    {"times that a transport was full", &Outcome::full, 1},
    {"rollbacks of processes", &Outcome::rollbacks, 4},
    {"chunks that went to the coordinator", &Outcome::copied, 1},
    {"chunks that came back from it", &Outcome::fetched_back, 20, 1000},
    {"disks of machines that were lost", &Outcome::disks_lost, 20},
    {"times that power was cut", &Outcome::power_cuts, 10},
    {"names and files that were not synced and lost", &Outcome::unsynced_lost, 10},
    {"times that a disk was full", &Outcome::full_disks, 20},
};

// The run of a seed ends with the model of its calm run.
inline void expect_the_calm_model(const Shape& shape, const Faults& faults, std::uint64_t seed, bool trace,
                                  Outcome& wild) {
  const Outcome calm = calm_run(shape);
  ASSERT_EQ(calm.code, ExitCode::ok) << "calm run of seed " << seed << ": " << calm.what;
  wild = simulate(shape, faults, seed, trace);
  ASSERT_EQ(wild.code, ExitCode::ok) << "replay with ROTA_SIM_SEED=" << seed << ": " << wild.what;
  ASSERT_EQ(wild.model_hash.hex(), calm.model_hash.hex()) << "replay with ROTA_SIM_SEED=" << seed;
  ASSERT_EQ(wild.state_hash.hex(), calm.state_hash.hex()) << "replay with ROTA_SIM_SEED=" << seed;
}

inline void run_seeds(Shape (*draw_shape)(std::mt19937_64&)) {
  const Seeds seeds = seeds_from_environment();
  const std::uint64_t count = seeds.count;
  Outcome sum;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + count; ++seed) {
    std::mt19937_64 random(seed);
    Shape shape = draw_shape(random);
    Faults faults = draw_faults(random);
    draw_losses(random, shape, faults);
    shape.credit = draw_credit(random);
    if (random() % 2 == 0) shape.piece_bytes = 64 + random() % 137;
    draw_own_disks(random, shape, faults);
    draw_disks(random, faults);
    Outcome wild;
    ASSERT_NO_FATAL_FAILURE(expect_the_calm_model(shape, faults, seed, seeds.replay, wild));
    for (const Counter& counter : kCounters) sum.*counter.count += wild.*counter.count;
  }
  std::printf("%llu seeds\n", static_cast<unsigned long long>(count));
  for (const Counter& counter : kCounters) {
    const std::uint64_t times = sum.*counter.count;
    std::printf("%llu %s\n", static_cast<unsigned long long>(times), counter.name);
    const bool is_expected = counter.seeds_each > 0 && count >= counter.seeds_least;
    EXPECT_TRUE(!is_expected || times > count / counter.seeds_each) << counter.name;
  }
}

// No two runs are alike, but all end; of a quarter of the seeds.
inline void run_asynchronous_seeds(Shape (*draw_shape)(std::mt19937_64&)) {
  const Seeds seeds = seeds_from_environment();
  for (std::uint64_t seed = seeds.first; seed < seeds.first + (seeds.count + 3) / 4; ++seed) {
    std::mt19937_64 random(seed);
    Shape shape = draw_shape(random);
    Faults faults = draw_faults(random);
    faults.kills_most = 0;
    shape.asynchronous = true;
    shape.options["asynchronous"] = "true";
    const Outcome outcome = simulate(shape, faults, seed, seeds.replay);
    ASSERT_EQ(outcome.code, ExitCode::ok) << "replay with ROTA_SIM_SEED=" << seed << ": " << outcome.what;
  }
}

}  // namespace rota::sim
