// Lasso in whole clusters with threads: shared rounds, pulls with notes on compute threads, several schedulers, solvers
// that use the threads themselves.  Made for ThreadSanitizer; everywhere else it shows that threads change no model.
#include <gtest/gtest.h>

#include <sstream>

#include "apps/lasso/commands/generate.h"
#include "tests/threads/cluster.h"
#include "tests/threads/scratch_folder.h"

extern "C" const rota::Plugin* rota_plugin_v1();

namespace rota::threads {
namespace {

std::string data() {
  std::ostringstream out;
  lasso::GenerateSettings settings;
  settings.rows = 80;
  settings.columns = 150;
  settings.per_column = 8;
  settings.nonzeros = 8;
  lasso::generate(settings, out);
  return out.str();
}

sim::Shape shape_over(const std::string& input) {
  sim::Shape shape;
  shape.seed = 5;
  shape.plugin = rota_plugin_v1();
  shape.input = {input};
  RunPlan& plan = shape.plan;
  plan.hash = {3, 4};
  plan.shards = 6;
  plan.workers = 2;
  plan.partitions = 3;
  plan.slices = 0;
  plan.epochs = 0;
  plan.checkpoint_every = 1;
  shape.options = {{"lambda_ratio", "0.2"}, {"tolerance", "1e-3"}, {"path", "2"}};
  return shape;
}

void expect_the_model_of_one_thread(const sim::Shape& shape, const ScratchFolder& folder) {
  const Outcome outcome = run_cluster(shape, 4, folder.path() / "run");
  ASSERT_EQ(outcome.code, ExitCode::ok) << outcome.what;
  ASSERT_TRUE(outcome.newest);
  sim::Shape calm_shape = shape;
  calm_shape.plan.workers = 1;
  RunPlan& plan = calm_shape.plan;
  plan.start_timeout = plan.peer_timeout = plan.disconnect_grace = 3000 * kSecond;
  const sim::Outcome calm = sim::simulate(calm_shape, sim::Faults{}, 1, false);
  ASSERT_EQ(calm.code, ExitCode::ok) << calm.what;
  EXPECT_EQ(outcome.newest->model_hash.hex(), calm.model_hash.hex());
}

TEST(LassoThreads, ByColumnsTheModelIsThatOfOneThread) {
  const ScratchFolder folder;
  expect_the_model_of_one_thread(shape_over(folder.write("data", data())), folder);
}

TEST(LassoThreads, ByRowsTheModelIsThatOfOneThread) {
  const ScratchFolder folder;
  sim::Shape shape = shape_over(folder.write("data", data()));
  shape.options["partition"] = "rows";
  shape.options["coordinates"] = "32";
  shape.options["schedulers"] = "2";
  shape.plan.schedulers = 2;
  shape.staleness = 1;
  shape.pipeline = 3;
  expect_the_model_of_one_thread(shape, folder);
}

}  // namespace
}  // namespace rota::threads
