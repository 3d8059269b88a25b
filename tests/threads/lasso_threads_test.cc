// Lasso in whole clusters with threads: shared rounds, pulls with notes on compute threads, several schedulers, solvers
// that use the threads themselves.  Made for ThreadSanitizer; everywhere else it shows that threads change no model.
#include "apps/lasso/app.h"
#include "tests/threads/cluster.h"
#include "tests/unit/apps/linear_models/sparse_text.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::threads {
namespace {

const Plugin kColumns = lasso::columns_plugin(), kRows = lasso::rows_plugin();

std::string data() {
  return tests::sparse_text(80, 150, 8);
}

sim::Shape shape_over(const std::string& input) {
  sim::Shape shape;
  shape.seed = 5;
  shape.plugin = &kColumns;
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

void expect_the_model_of_one_thread(const sim::Shape& shape, const tests::ScratchFiles& files) {
  const Outcome outcome = run_cluster(shape, 4, files.folder() / "run");
  ASSERT_EQ(outcome.code, ExitCode::ok) << outcome.what;
  ASSERT_TRUE(outcome.newest);
  EXPECT_EQ(outcome.newest->model_hash.hex(), calm_hash(shape).hex());
}

TEST(LassoThreads, ByColumnsTheModelIsThatOfOneThread) {
  const tests::ScratchFiles files;
  expect_the_model_of_one_thread(shape_over(files.write("data", data())), files);
}

TEST(LassoThreads, ByRowsTheModelIsThatOfOneThread) {
  const tests::ScratchFiles files;
  sim::Shape shape = shape_over(files.write("data", data()));
  shape.plugin = &kRows;
  shape.options["coordinates"] = "32";
  shape.options["schedulers"] = "2";
  shape.plan.schedulers = 2;
  shape.staleness = 1;
  shape.pipeline = 3;
  expect_the_model_of_one_thread(shape, files);
}

}  // namespace
}  // namespace rota::threads
