// The apps lasso and lasso_rows in the seeded whole-cluster simulation: by columns and by rows, with paths, folds and
// staleness; seeds.h says how many seeds, and how to replay one.
#include "apps/lasso/app.h"
#include "tests/sim/drawn.h"
#include "tests/unit/apps/linear_models/sparse_text.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::sim {
namespace {

const Plugin kColumns = lasso::columns_plugin(), kRows = lasso::rows_plugin();

Shape draw_shape(std::mt19937_64& random, const std::string& data) {
  const auto draw = drawing_from(random);
  Shape shape = draw_cluster(random, kColumns, 3, 6, 3);
  shape.seed >>= 12;
  shape.input = {data};
  RunPlan& plan = shape.plan;
  plan.epochs = 0;
  plan.eval_every = draw(0, 2);
  plan.checkpoint_every = draw(0, 2);
  shape.options = {{"lambda_ratio", "0.2"}, {"tolerance", "1e-3"}, {"intercept", draw(0, 1) == 1 ? "true" : "false"}};
  shape.options["path"] = std::to_string(draw(1, 3));
  if (draw(0, 1) == 1) {
    if (draw(0, 2) == 0) shape.options["folds"] = "2";
    return shape;
  }
  shape.plugin = &kRows;
  shape.options["coordinates"] = "32";
  shape.options["schedulers"] = std::to_string(plan.schedulers = draw(1, 2));
  shape.staleness = draw(0, 2);
  shape.pipeline = shape.staleness + draw(1, 2);
  return shape;
}

TEST(LassoCluster, EverySeedEndsWithTheModelOfTheCalmRun) {
  const tests::ScratchFiles files;
  const std::string data = files.write("data", tests::sparse_text(80, 150, 8));
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
    Outcome wild;
    ASSERT_NO_FATAL_FAILURE(expect_the_calm_model(shape, faults, seed, seeds.replay, wild));
    kills += wild.kills;
    lost += wild.lost;
  }
  if (count >= 20) {
    EXPECT_GT(kills, 0U);
    EXPECT_GT(lost, count);
  }
}

}  // namespace
}  // namespace rota::sim
