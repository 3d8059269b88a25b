// A partition that may keep a thousand bytes of a checkpoint in memory.

#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/job/run_folder.h"
#include "kvstore/partition.h"
#include "tests/unit/core/base/temporary_folder.h"
#include "tests/unit/core/job/empty_app.h"
#include "tests/unit/core/runtime/node_stage.h"

namespace rota {
namespace {

constexpr NodeId kSelf{Role::partition, 0}, kWorker{Role::worker, 0}, kScheduler{Role::scheduler, 0};

struct SlicesOnlyApp final : tests::EmptyApp {
  std::vector<Table> tables(const Facts&) const override { return {{.name = "rows", .kind = Table::Kind::sliced}}; }
};

class LargeCheckpoints : public TemporaryFolder, protected tests::NodeStage {
 protected:
  LargeCheckpoints() : NodeStage(kSelf) {
    PartitionSettings settings;
    settings.credit.kept = 1000;
    partition_ = std::make_unique<Partition>(settings, *host_app(tests::plugin_of<SlicesOnlyApp>("slices"), Job()),
                                             disk_checkpoints(folder, 1, {}));
    EXPECT_TRUE(receive(kCoordinator, JobFacts{}).ok());
  }
  Status receive(NodeId from, const Message& message) { return NodeStage::receive(*partition_, from, message); }
  static Put put(Epoch epoch, std::uint64_t id) {
    const Bytes bytes = Bytes::from(std::vector<std::byte>(400, static_cast<std::byte>(id)));
    return {epoch, Object::slice, id, hash128(bytes.view()), bytes};
  }
  std::size_t names_in(Epoch epoch) const {
    std::error_code none;
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(RunFolder{folder}.checkpoint(epoch), none), {}));
  }

  std::unique_ptr<Partition> partition_;
};

// They were kept in memory until all had arrived: a second copy of the whole model.
TEST_F(LargeCheckpoints, ObjectsBeyondTheMemoryLimitWaitOnDisk) {
  hold_work = true;
  for (const std::uint64_t id : {5U, 9U, 1U, 7U, 3U}) ASSERT_TRUE(receive(kWorker, put(2, id)).ok());
  EXPECT_EQ(sent<Stored>(kWorker).size(), 2U) << "the others are not on disk yet";
  EXPECT_EQ(io_works, 3U);
  ASSERT_TRUE(finish_work().ok());
  ASSERT_EQ(sent<Stored>(kWorker).size(), 5U);
  for (const Stored& stored : sent<Stored>(kWorker))
    EXPECT_EQ(std::pair(stored.epoch, stored.bytes), std::pair(2U, 400UL));
  EXPECT_EQ(names_in(2), 0U) << "a crash leaves nothing";
  ASSERT_TRUE(receive(kCoordinator, Save{2, 6}).ok());
  ASSERT_TRUE(finish_work().ok());

  const auto written = sent<Written>(kCoordinator);
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].objects.size(), 6U) << "and the state of pull";
  EXPECT_EQ(names_in(2), 1U);
  const auto path = RunFolder{folder}.checkpoint() / written[0].file;
  EXPECT_EQ(hash_file(path)->hash, written[0].file_hash);
  const auto file = CheckpointFile::open(path);
  ASSERT_TRUE(file.ok());
  for (const std::uint64_t id : {1U, 3U, 5U, 7U, 9U}) {
    const auto bytes = (*file)->get(Object::slice, id);
    ASSERT_TRUE(bytes.ok()) << bytes.status().what();
    EXPECT_TRUE(std::ranges::equal(bytes->view(), put(2, id).bytes.view()));
    EXPECT_TRUE(std::ranges::any_of(written[0].objects, [&](const ObjectHash& one) {
      return one.object == Object::slice && one.id == id && one.hash == put(2, id).hash;
    }));
  }
}

TEST_F(LargeCheckpoints, OnlyWorkersWaitForWhatTheyPut) {
  for (std::uint64_t id = 0; id < 4; ++id) ASSERT_TRUE(receive(kScheduler, put(1, id)).ok());
  EXPECT_TRUE(sent<Stored>(kScheduler).empty());
}

TEST_F(LargeCheckpoints, AFullDiskEndsTheRun) {
  write("checkpoint/epoch-00000001", "a file where the folder should be");
  ASSERT_TRUE(receive(kWorker, put(1, 0)).ok());
  ASSERT_TRUE(receive(kWorker, put(1, 1)).ok());
  EXPECT_EQ(receive(kWorker, put(1, 2)).code(), ExitCode::cannot_write);
}

}  // namespace
}  // namespace rota
