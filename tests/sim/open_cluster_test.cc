// tests/sim/open_cluster_test.cc -- whole clusters with dense tables and open rounds; seeds.h says how many.
#include <gtest/gtest.h>

#include <random>

#include "tests/sim/drawn.h"
#include "tests/sim/open_plugin.h"

namespace rota::sim {
namespace {

Shape draw_shape(std::mt19937_64& random) {
  const auto draw = [&](std::uint32_t least, std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(least, most)(random);
  };
  Shape shape;
  shape.plugin = &open_plugin();
  shape.seed = random();
  RunPlan& plan = shape.plan;
  plan.hash = {random() | 1, random()};
  plan.shards = draw(1, 9);
  plan.workers = draw(1, std::min(plan.shards, 4U));
  plan.partitions = draw(1, 4);
  plan.stores = draw(0, plan.partitions);
  plan.schedulers = draw(1, 3);
  shape.slices_per_shard = draw(0, 2);
  plan.slices = plan.shards * shape.slices_per_shard;
  plan.epochs = draw(1, 6);
  plan.eval_every = draw(0, 2);
  plan.checkpoint_every = draw(0, 2);
  plan.start_timeout = 3000 * kSecond;
  plan.peer_timeout = plan.disconnect_grace = 3000 * kSecond;
  shape.pipeline = draw(1, 4);
  shape.staleness = draw(0, 2);
  shape.options["wish"] = std::to_string(draw(0, 2));
  return shape;
}

TEST(OpenCluster, EverySeedEndsWithTheModelOfTheCalmRun) {
  run_seeds(draw_shape);
}

// What a push sees is what it was told of.
TEST(OpenCluster, AnAsynchronousRunEndsToo) {
  run_asynchronous_seeds(draw_shape);
}

}  // namespace
}  // namespace rota::sim
