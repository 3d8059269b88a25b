// PageRank in whole clusters with threads: open rounds, whose parts several threads make at once.
#include "tests/threads/cluster.h"
#include "tests/unit/io/scratch_files.h"

extern "C" const rota::Plugin* rota_plugin_v1();

namespace rota::threads {
namespace {

TEST(PagerankThreads, TheModelIsThatOfOneThread) {
  std::string edges;
  for (int from = 0; from < 400; ++from)
    for (int e = 0; e < from % 7; ++e)
      edges += std::to_string(from) + " " + std::to_string((from * 31 + e * 17) % 400) + "\n";
  const tests::ScratchFiles files;
  sim::Shape shape;
  shape.seed = 5;
  shape.plugin = rota_plugin_v1();
  shape.input = {files.write("graph", edges)};
  shape.plan.hash = {3, 4};
  shape.plan.shards = 13;
  shape.plan.workers = 2;
  shape.plan.partitions = 3;
  shape.plan.epochs = 20;
  shape.options = {{"tolerance", "0"}, {"steps", "10"}};
  const Outcome outcome = run_cluster(shape, 4, files.folder() / "run");
  ASSERT_EQ(outcome.code, ExitCode::ok) << outcome.what;
  ASSERT_TRUE(outcome.newest);
  EXPECT_EQ(outcome.newest->model_hash.hex(), calm_hash(shape).hex());
}

}  // namespace
}  // namespace rota::threads
