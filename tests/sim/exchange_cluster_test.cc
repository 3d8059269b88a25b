// tests/sim/exchange_cluster_test.cc -- whole clusters with exchange rounds; seeds.h says how many.
#include "rota/testing/serial_host.h"
#include "tests/sim/drawn.h"
#include "tests/sim/exchange_plugin.h"

namespace rota::sim {
namespace {

Shape exchange_shape(std::mt19937_64& random) {
  Shape shape = draw_cluster(random, exchange_plugin());
  shape.slices_per_shard = 0;
  draw_epochs(random, shape.plan, 6);
  shape.staleness = drawing_from(random)(0, 2);
  return shape;
}

TEST(ExchangeCluster, EverySeedEndsWithTheModelOfTheCalmRun) {
  run_seeds(exchange_shape);
}

// The serial host runs the shards in turn.
TEST(ExchangeCluster, ACalmRunEndsWithTheModelOfTheSerialHost) {
  const Seeds seeds = seeds_from_environment();
  for (std::uint64_t seed = seeds.first; seed < seeds.first + (seeds.count + 3) / 4; ++seed) {
    std::mt19937_64 random(seed);
    const Shape shape = exchange_shape(random);
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

// Each gathers at most one message of every sender at a time.
TEST(ExchangeCluster, AnAsynchronousRunEndsToo) {
  run_asynchronous_seeds(exchange_shape);
}

}  // namespace
}  // namespace rota::sim
