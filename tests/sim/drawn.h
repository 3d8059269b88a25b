// tests/sim/drawn.h -- what a seed draws for every cluster, and the test of many seeds; seeds.h says how many, and how
// to replay one.
#pragma once
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "tests/sim/cluster.h"
#include "tests/sim/seeds.h"

namespace rota::sim {

// So little in part of the seeds that nearly every object of a checkpoint and chunk of rows waits for the one before.
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

// In part of the seeds single processes are lost, and others, with the time-outs of real runs, take their places.
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
  if (faults.joins_most > 0 && random() % 2 == 0) return;  // nobody is lost
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

// In part of the seeds, processes on machines that do not share the run's folder, and lose what they have.
inline void draw_own_disks(std::mt19937_64& random, Shape& shape, Faults& faults) {
  if (random() % 2 == 0) return;
  const auto draw = [&](double most) { return std::uniform_real_distribution<double>(0, most)(random); };
  shape.own_disk_share = random() % 2 == 0 ? 1 : draw(1);
  faults.disk_loss_share = draw(1);
  shape.plan.copies.chunk = 1 + random() % 200;
  shape.plan.copies.asked = static_cast<std::uint32_t>(1 + random() % 4);
  shape.plan.copies.files = static_cast<std::uint32_t>(1 + random() % 3);
}

// In part of the seeds power is cut, syncs take their time, up to more than anybody waits for a silent process, and
// disks are full.
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

// The same job on one worker, with nothing going wrong.
inline Outcome calm_run(const Shape& shape) {
  Shape calm = shape;
  calm.plan.workers = 1;
  calm.plan.stores = 0;
  calm.own_disk_share = 0;
  calm.piece_bytes = kPieceBytes;
  return simulate(calm, Faults{}, 1, false);
}

// What went wrong in all runs together.
inline void add(Outcome& sum, const Outcome& wild) {
  sum.events += wild.events;
  sum.lost += wild.lost;
  sum.repeated += wild.repeated;
  sum.flipped += wild.flipped;
  sum.kills += wild.kills;
  sum.pieces += wild.pieces;
  sum.losses += wild.losses;
  sum.pauses += wild.pauses;
  sum.hangs += wild.hangs;
  sum.cuts += wild.cuts;
  sum.joins += wild.joins;
  sum.leaves += wild.leaves;
  sum.moves += wild.moves;
  sum.zombies += wild.zombies;
  sum.zombies_said += wild.zombies_said;
  sum.echoes += wild.echoes;
  sum.full += wild.full;
  sum.copied += wild.copied;
  sum.fetched_back += wild.fetched_back;
  sum.disks_lost += wild.disks_lost;
  sum.goings_back += wild.goings_back;
  sum.power_cuts += wild.power_cuts;
  sum.unsynced_lost += wild.unsynced_lost;
  sum.full_disks += wild.full_disks;
}

inline void tell_all(const Outcome& sum, std::uint64_t count) {
  const auto tell = [](const char* what, std::uint64_t times) {
    std::printf("%llu %s\n", static_cast<unsigned long long>(times), what);
  };
  tell("seeds", count);
  tell("events", sum.events);
  tell("connections broken", sum.lost);
  tell("messages repeated", sum.repeated);
  tell("messages damaged", sum.flipped);
  tell("pieces", sum.pieces);
  tell("times that all were killed", sum.kills);
  tell("processes killed", sum.losses);
  tell("processes that stood still", sum.pauses);
  tell("pieces of work that did not end", sum.hangs);
  tell("times that nothing passed between two", sum.cuts);
  tell("workers that joined", sum.joins);
  tell("workers that were told to end", sum.leaves);
  tell("times that shards moved without a loss", sum.moves);
  tell("processes that lived on beside their successors", sum.zombies);
  tell("messages of those", sum.zombies_said);
  tell("messages that came once more much later", sum.echoes);
  tell("times that a transport was full", sum.full);
  tell("processes that went back", sum.goings_back);
  tell("chunks that went to the coordinator", sum.copied);
  tell("chunks that came back from it", sum.fetched_back);
  tell("disks of machines that were lost", sum.disks_lost);
  tell("times that power was cut", sum.power_cuts);
  tell("names and files that were not synced and lost", sum.unsynced_lost);
  tell("times that a disk was full", sum.full_disks);
}

// Every seed ends with the model of its calm run.
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
    const Outcome calm = calm_run(shape);
    ASSERT_EQ(calm.code, ExitCode::ok) << "calm run of seed " << seed << ": " << calm.what;
    const Outcome wild = simulate(shape, faults, seed, seeds.replay);
    ASSERT_EQ(wild.code, ExitCode::ok) << "replay with ROTA_SIM_SEED=" << seed << ": " << wild.what;
    ASSERT_EQ(wild.model_hash.hex(), calm.model_hash.hex()) << "replay with ROTA_SIM_SEED=" << seed;
    ASSERT_EQ(wild.state_hash.hex(), calm.state_hash.hex()) << "replay with ROTA_SIM_SEED=" << seed;
    add(sum, wild);
  }
  tell_all(sum, count);
  if (count >= 100) {
    // A simulation in which nothing went wrong would show nothing.
    EXPECT_GT(sum.lost, count);
    EXPECT_GT(sum.repeated, count);
    EXPECT_GT(sum.flipped, count / 10);
    EXPECT_GT(sum.kills, count / 10);
    EXPECT_GT(sum.pieces, count);
    EXPECT_GT(sum.losses, count / 4);
    EXPECT_GT(sum.pauses, count / 20);
    EXPECT_GT(sum.hangs, count / 40);
    EXPECT_GT(sum.cuts, count / 20);
    // They are drawn in few seeds.
    if (count >= 1000) {
      EXPECT_GT(sum.zombies, count / 40);
      EXPECT_GT(sum.zombies_said, count / 4);
    }
    EXPECT_GT(sum.echoes, count);
    EXPECT_GT(sum.full, count);
    EXPECT_GT(sum.copied, count);
    EXPECT_GT(sum.fetched_back, count / 20);
    EXPECT_GT(sum.disks_lost, count / 20);
    EXPECT_GT(sum.goings_back, count / 4);
    EXPECT_GT(sum.joins, count / 10);
    EXPECT_GT(sum.leaves, count / 20);
    EXPECT_GT(sum.moves, count / 20);
    EXPECT_GT(sum.power_cuts, count / 10);
    EXPECT_GT(sum.unsynced_lost, count / 10);
    EXPECT_GT(sum.full_disks, count / 20);
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
