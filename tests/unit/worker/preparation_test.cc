// A worker up to READY, and the data that it hands over to the next one.
#include "worker/preparation.h"

#include "core/base/file_hash.h"
#include "tests/unit/worker/worker_stage.h"

namespace rota {
namespace {

using namespace tests;

TEST_F(WorkerNode, PreparesUpToReady) {
  prepare();
  ASSERT_EQ(sent<Loaded>(kCoordinator).size(), 1U);
  const Loaded loaded = sent<Loaded>(kCoordinator)[0];
  EXPECT_EQ(loaded.items, (std::vector<std::uint64_t>{5, 5}));
  EXPECT_EQ(loaded.census, (Census{2, 2, 2, 2}));
  EXPECT_EQ(loaded.items_unit, "things");
  EXPECT_EQ(loaded.app, "adding");
  EXPECT_EQ(loaded.input, *hash_contents({})) << "it has no input";
  EXPECT_EQ(loaded.epochs, 33U);
  EXPECT_EQ(loaded.facts, (std::vector<std::vector<Fact>>(2, {{"rows", Fact::Kind::sum, {1.5}}})));
  EXPECT_EQ(sent<Ready>(kCoordinator).size(), 1U);
  EXPECT_EQ(worker_->slices_held(), (std::vector<SliceId>{0, 1}));
}

TEST_F(WorkerNode, ShardsStartWithNumbersOfTheirOwnAndCommonOnes) {
  prepare();
  ASSERT_EQ(play.started.size(), 2U);
  EXPECT_NE(play.started[0].first, play.started[1].first);
  EXPECT_EQ(play.started[0].second, play.started[1].second);
}

// Two rollbacks came before the worker was welcomed: the second one lost what its shards are attached to, and it
// crashed.
TEST_F(WorkerNode, PreparedShardsOutliveAnUnattachedWorker) {
  play.restores_in_place = true;
  prepare();
  for (int again = 0; again < 2; ++again) {
    auto prepared = worker_->take_prepared(true);
    ASSERT_TRUE(prepared.has_value());
    EXPECT_EQ(prepared->shards.size(), 2U);
    ASSERT_NE(prepared->attached, nullptr);
    worker_ = std::make_unique<Worker>(even_hosts(2, 4), *std::move(prepared));
  }
  forget();
  prepare(1);
  EXPECT_EQ(sent<Loaded>(kCoordinator).size(), 1U);
  EXPECT_EQ(play.loads, 1) << "the data is not read again";
  EXPECT_FALSE(sent<Fetch>(kPartition).empty());
}

TEST_F(WorkerNode, ANewRunKeepsNothingAttached) {
  play.restores_in_place = true;
  prepare();
  auto prepared = worker_->take_prepared(true);
  ASSERT_TRUE(prepared.has_value());
  worker_ = std::make_unique<Worker>(even_hosts(2, 4), *std::move(prepared));
  EXPECT_FALSE(worker_->take_prepared(false).has_value());
}

}  // namespace
}  // namespace rota
