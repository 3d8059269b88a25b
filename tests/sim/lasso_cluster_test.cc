// The Lasso app in the seeded whole-cluster simulation: by columns and by rows, with paths, folds and staleness;
// seeds.h says how many seeds, and how to replay one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "apps/lasso/commands/generate.h"
#include "tests/sim/cluster.h"
#include "tests/sim/seeds.h"

extern "C" const rota::Plugin* rota_plugin_v1();

namespace rota::sim {
namespace {

Shape draw_shape(std::mt19937_64& random, const std::string& data) {
  const auto draw = [&](std::uint32_t least, std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(least, most)(random);
  };
  Shape shape;
  shape.seed = random() >> 12;
  shape.plugin = rota_plugin_v1();
  shape.input = {data};
  RunPlan& plan = shape.plan;
  plan.hash = {random() | 1, random()};
  plan.shards = draw(1, 6);
  plan.workers = draw(1, std::min(plan.shards, 3U));
  plan.partitions = draw(1, 3);
  plan.stores = draw(0, plan.partitions);
  plan.slices = 0;
  plan.epochs = 0;
  plan.eval_every = draw(0, 2);
  plan.checkpoint_every = draw(0, 2);
  plan.start_timeout = plan.peer_timeout = plan.disconnect_grace = 3000 * kSecond;
  shape.options = {{"lambda_ratio", "0.2"}, {"tolerance", "1e-3"}, {"intercept", draw(0, 1) == 1 ? "true" : "false"}};
  shape.options["path"] = std::to_string(draw(1, 3));
  if (draw(0, 1) == 1) {
    if (draw(0, 2) == 0) shape.options["folds"] = "2";
    return shape;
  }
  shape.options["partition"] = "rows";
  shape.options["coordinates"] = "32";
  shape.options["schedulers"] = std::to_string(plan.schedulers = draw(1, 2));
  shape.staleness = draw(0, 2);
  shape.pipeline = shape.staleness + draw(1, 2);
  return shape;
}

TEST(LassoCluster, EverySeedEndsWithTheModelOfTheCalmRun) {
  const std::string data =
      (std::filesystem::temp_directory_path() / ("rota-sim-lasso-" + std::to_string(getpid()) + ".libsvm")).string();
  {
    std::ofstream out(data);
    lasso::GenerateSettings settings;
    settings.rows = 80;
    settings.columns = 150;
    settings.per_column = 8;
    settings.nonzeros = 8;
    lasso::generate(settings, out);
  }
  const Seeds seeds = seeds_from_environment();
  const std::uint64_t count = seeds.count;
  std::uint64_t kills = 0, lost = 0;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + count; ++seed) {
    std::mt19937_64 random(seed);
    const Shape shape = draw_shape(random, data);
    Faults faults;
    faults.delay_most_ms = 5;
    faults.break_share = 0.005;
    faults.repeat_share = 0.02;
    faults.kill_share = 0.0005;
    faults.kills_most = 2;
    Shape calm_shape = shape;
    calm_shape.plan.workers = 1;
    calm_shape.plan.stores = 0;
    const Outcome calm = simulate(calm_shape, Faults{}, 1, false);
    ASSERT_EQ(calm.code, ExitCode::ok) << "calm run of seed " << seed << ": " << calm.what;
    const Outcome wild = simulate(shape, faults, seed, seeds.replay);
    ASSERT_EQ(wild.code, ExitCode::ok) << "replay with ROTA_SIM_SEED=" << seed << ": " << wild.what;
    ASSERT_EQ(wild.model_hash.hex(), calm.model_hash.hex()) << "replay with ROTA_SIM_SEED=" << seed;
    ASSERT_EQ(wild.state_hash.hex(), calm.state_hash.hex()) << "replay with ROTA_SIM_SEED=" << seed;
    kills += wild.kills;
    lost += wild.lost;
  }
  std::filesystem::remove(data);
  if (count >= 20) {
    EXPECT_GT(kills, 0U);
    EXPECT_GT(lost, count);
  }
}

}  // namespace
}  // namespace rota::sim
