// tests/sim/open_cluster_test.cc -- whole clusters with shared tables and rounds of every kind; seeds.h says how many.
#include "tests/sim/drawn.h"
#include "tests/sim/open_plugin.h"

namespace rota::sim {
namespace {

Shape open_shape(std::mt19937_64& random) {
  const auto draw = drawing_from(random);
  Shape shape = draw_cluster(random, open_plugin(), 4);
  RunPlan& plan = shape.plan;
  plan.schedulers = draw(1, 3);
  shape.slices_per_shard = draw(0, 2);
  plan.slices = plan.shards * shape.slices_per_shard;
  draw_epochs(random, plan, 6);
  shape.pipeline = draw(1, 4);
  shape.staleness = draw(0, 4);
  shape.options["wish"] = std::to_string(draw(0, 2));
  shape.options["ends_after"] = draw(0, 1) == 1 ? "true" : "false";
  return shape;
}

TEST(OpenCluster, EverySeedEndsWithTheModelOfTheCalmRun) {
  run_seeds(open_shape);
}

// A push sees exactly the commits that it has received.
TEST(OpenCluster, AnAsynchronousRunEndsToo) {
  run_asynchronous_seeds(open_shape);
}

}  // namespace
}  // namespace rota::sim
