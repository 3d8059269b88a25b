// One worker with two of four shards, and a dense table of six rows in two
// partitions.

#include "tests/unit/core/job/empty_app.h"
#include "tests/unit/core/rounds/even_hosts.h"
#include "tests/unit/core/runtime/node_stage.h"
#include "tests/unit/core/wire/round_messages.h"
#include "worker/worker.h"

namespace rota::dense_tables {
namespace {

using tests::deltas_of;
using tests::numbers_of;
using tests::rows_of;

constexpr NodeId kWorker{Role::worker, 0}, kPartitions[] = {{Role::partition, 0}, {Role::partition, 1}};

// Row 0 of the view at each push of the first shard.
std::vector<double> seen;

class LookingPush final : public SharedPush {
 public:
  explicit LookingPush(ShardId shard) : shard_(shard) {}
  std::uint64_t items() const override { return 1; }
  void attach(const Shape& shape) override { view_ = shape.views[0]; }
  std::uint64_t push(const SharedTask& task, Random&) override {
    if (shard_ == 0) seen.push_back(view_.row(0)[0]);
    task.parts[0][0] = 1;
    task.parts[2 + 2 * shard_][0] = 10;
    return 1;
  }

 private:
  ShardId shard_;
  TableView view_;
};

struct LookingApp final : tests::EmptyApp {
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    std::vector<std::unique_ptr<Push>> all;
    for (const ShardId shard : hosted) all.push_back(std::make_unique<LookingPush>(shard));
    return all;
  }
  std::vector<Table> tables(const Facts&) const override {
    return {{.name = "all", .keys = 6, .row_width = 1, .part_width = 1, .dense = true}};
  }
};

class DenseTables : public ::testing::Test, protected tests::NodeStage {
 protected:
  DenseTables() : NodeStage(kWorker) { seen.clear(); }
  void start(std::optional<Epoch> resume = {}) {
    JobConfig job;
    job.shards = 4;
    job.threads = job.partitions = 2;
    worker_ = std::make_unique<Worker>(tests::even_hosts(2, job.shards),
                                       *host_app(tests::plugin_of<LookingApp>("looking"), job));
    Welcome welcome;
    welcome.resume = resume;
    ASSERT_TRUE(receive(kCoordinator, welcome).ok());
    ASSERT_TRUE(receive(kCoordinator, JobFacts{}).ok());
    ASSERT_TRUE(receive(kCoordinator, CutMade{}).ok());
  }
  Status receive(NodeId from, const Message& message) { return NodeStage::receive(*worker_, from, message); }
  void share(RoundId round) {
    Tasks tasks;
    for (ShardId s = 0; s < 2; ++s) tasks.tasks.push_back({round, 1, s, std::nullopt, true});
    tasks.shared = {rows_of(round, {})};
    tasks.shared[0].open = true;
    ASSERT_TRUE(receive(kCoordinator, tasks).ok());
  }

  std::unique_ptr<Worker> worker_;
};

TEST_F(DenseTables, PartsOfAnOpenRoundGoToTheRangesOfTheirKeys) {
  start();
  share(1);
  const auto first = sent<Parts>(kPartitions[0]), second = sent<Parts>(kPartitions[1]);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].node, (TreeNode{1, 0}));
  EXPECT_EQ(first[0].runs, (std::vector<KeyRun>{{0, 1}, {2, 1}}));
  EXPECT_EQ(numbers_of(first[0].sums), (std::vector<double>{2, 10}));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].runs, (std::vector<KeyRun>{{4, 1}}));
  EXPECT_EQ(numbers_of(second[0].sums), (std::vector<double>{10}));
}

TEST_F(DenseTables, ACommitOfAnotherRowIsRefused) {
  start();
  share(1);
  Deltas deltas = deltas_of(1, {}, {1});
  deltas.rows.open = true;
  deltas.runs = {{3, 1}};
  EXPECT_EQ(receive(kPartitions[0], deltas).what(), "other rows in the commit of round 1 by partition-0");
}

TEST_F(DenseTables, AResumedWorkerSeesWhatWasCommitted) {
  start(4);
  ASSERT_TRUE(receive(kPartitions[0], Fetched{Object::common, 0, {}}).ok());
  for (ShardId s = 0; s < 2; ++s) ASSERT_TRUE(receive(kPartitions[s], Fetched{Object::shard, s, {}}).ok());
  ASSERT_TRUE(receive(kPartitions[0], deltas_of(0, {0, 2}, {77, 78})).ok());
  EXPECT_TRUE(sent<Ready>(kCoordinator).empty());
  ASSERT_TRUE(receive(kPartitions[1], deltas_of(0, {}, {})).ok());
  EXPECT_EQ(sent<Ready>(kCoordinator).size(), 1U);
  share(9);
  EXPECT_EQ(seen, (std::vector<double>{77}));
}

}  // namespace
}  // namespace rota::dense_tables
