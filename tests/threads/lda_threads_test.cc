// LDA in whole clusters with threads: leased slices, replicated rows, checkpoints written beside training.  Made for
// ThreadSanitizer; everywhere else it shows that threads change no model.
#include "tests/threads/cluster.h"
#include "tests/unit/io/scratch_files.h"

extern "C" const rota::Plugin* rota_plugin_v1();

namespace rota::threads {
namespace {

// Word i is 1 + 12 / (i + 1) times in each document, and the documents differ: some words are too heavy for a slice.
std::string text() {
  std::string text;
  for (int d = 0; d < 24; ++d) {
    for (int w = 0; w < 30; ++w)
      for (int i = 0; i < 1 + 12 / (w + 1); ++i)
        if ((d + w) % 3 != 0 || i > 0) text.append("w").append(std::to_string(w)).append(" ");
    text += "\n";
  }
  return text;
}

sim::Shape shape_over(const std::string& input) {
  sim::Shape shape;
  shape.seed = 5;
  shape.plugin = rota_plugin_v1();
  shape.input = {input};
  shape.plan.hash = {3, 4};
  shape.plan.shards = 6;
  shape.plan.slices = 12;
  shape.plan.workers = 2;
  shape.plan.partitions = 3;
  shape.plan.epochs = 6;
  shape.plan.checkpoint_every = 1;
  shape.options = {{"topics", "5"}};
  return shape;
}

TEST(LdaThreads, TheModelIsThatOfOneThread) {
  const tests::ScratchFiles files;
  const sim::Shape shape = shape_over(files.write("text", text()));
  const Outcome outcome = run_cluster(shape, 4, files.folder() / "run");
  ASSERT_EQ(outcome.code, ExitCode::ok) << outcome.what;
  ASSERT_TRUE(outcome.newest);
  EXPECT_EQ(outcome.newest->epoch, 6U);
  EXPECT_EQ(outcome.newest->model_hash.hex(), calm_hash(shape).hex());
}

// Three epochs, a change of what is there, and the other three.
void expect_resumed(sim::Shape shape, const std::function<void(const std::filesystem::path&, RunPlan&)>& change) {
  const tests::ScratchFiles files;
  const std::filesystem::path run = files.folder() / "run";
  shape.input = {files.write("text", text())};
  shape.plan.stores = 2;
  sim::Shape part = shape;
  part.plan.epochs = 3;
  const Outcome first = run_cluster(part, 4, run);
  ASSERT_EQ(first.code, ExitCode::ok) << first.what;
  ASSERT_TRUE(first.newest);
  part.plan = shape.plan;
  part.plan.resume = first.newest;
  change(run, part.plan);
  const Outcome second = run_cluster(part, 4, run);
  ASSERT_EQ(second.code, ExitCode::ok) << second.what;
  EXPECT_EQ(second.newest->model_hash.hex(), calm_hash(shape).hex());
}

TEST(LdaThreads, AResumedRunContinuesFromFiles) {
  sim::Shape shape = shape_over("");
  shape.credit = {2000, 500};  // so that objects and rows wait for one another
  expect_resumed(shape, [](const auto&, RunPlan& plan) { plan.workers = 3; });
}

// One of two disks is lost before the run continues.
TEST(LdaThreads, AResumedRunContinuesWithSeparateDisks) {
  sim::Shape shape = shape_over("");
  shape.own_disk_share = 1;
  shape.plan.copies = {100, 3, 2};
  expect_resumed(shape, [](const std::filesystem::path& run, RunPlan&) {
    ASSERT_GT(std::filesystem::remove_all(own_disk_of(run, {Role::kvstore, 1})), 0U);
  });
}

}  // namespace
}  // namespace rota::threads
