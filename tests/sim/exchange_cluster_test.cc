// tests/sim/exchange_cluster_test.cc -- whole clusters with exchange rounds; seeds.h says how many.
#include <gtest/gtest.h>

#include <random>

#include "rota/serial_host.h"
#include "tests/sim/drawn.h"
#include "tests/sim/exchange_plugin.h"

namespace rota::sim {
namespace {

Shape draw_shape(std::mt19937_64& random) {
  const auto draw = [&](std::uint32_t least, std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(least, most)(random);
  };
  Shape shape;
  shape.plugin = &exchange_plugin();
  shape.seed = random();
  RunPlan& plan = shape.plan;
  plan.hash = {random() | 1, random()};
  plan.shards = draw(1, 9);
  plan.workers = draw(1, std::min(plan.shards, 4U));
  plan.partitions = draw(1, 3);
  plan.stores = draw(0, plan.partitions);
  shape.slices_per_shard = 0;
  plan.slices = 0;
  plan.epochs = draw(1, 6);
  plan.eval_every = draw(0, 2);
  plan.checkpoint_every = draw(0, 2);
  plan.start_timeout = 3000 * kSecond;
  plan.peer_timeout = plan.disconnect_grace = 3000 * kSecond;
  shape.staleness = draw(0, 2);
  return shape;
}

TEST(ExchangeCluster, EverySeedEndsWithTheModelOfTheCalmRun) {
  run_seeds(draw_shape);
}

// And with that of the serial host, whose shards take turns.
TEST(ExchangeCluster, ACalmRunEndsWithTheModelOfTheSerialHost) {
  const Seeds seeds = seeds_from_environment();
  for (std::uint64_t seed = seeds.first; seed < seeds.first + (seeds.count + 3) / 4; ++seed) {
    std::mt19937_64 random(seed);
    const Shape shape = draw_shape(random);
    const Outcome calm = calm_run(shape);
    ASSERT_EQ(calm.code, ExitCode::ok) << "seed " << seed << ": " << calm.what;
    Witness seen;
    witness() = &seen;
    SerialHost host(exchange_plugin(), job_of(shape));
    host.run_epochs(static_cast<int>(shape.plan.epochs));
    ASSERT_EQ(host.model_hash(), calm.model_hash.hex()) << "seed " << seed;
    ASSERT_EQ(seen.complaint, "") << "seed " << seed;
  }
}

// Each gathers of every sender at most one message at a time.
TEST(ExchangeCluster, AnAsynchronousRunEndsToo) {
  run_asynchronous_seeds(draw_shape);
}

}  // namespace
}  // namespace rota::sim
