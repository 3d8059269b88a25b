#include "core/checkpoint/checkpoint_store.h"

#include "core/job/run_folder.h"
#include "kvstore/partition.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

std::vector<Table> tables(std::uint32_t width) {
  return {{"one", Table::Kind::shared, 10, width, 1}};
}

class DiskCheckpointFiles : public TemporaryFolder {
 protected:
  static const std::vector<Put>& objects() {
    static const Bytes bytes = Bytes::from({std::byte{1}, std::byte{2}});
    static const std::vector<Put> all = {{4, Object::slice, 1, hash128(bytes.view()), bytes}};
    return all;
  }
};

TEST_F(DiskCheckpointFiles, AreFoundByEpochAndPartition) {
  const auto store = disk_checkpoints(folder, 3, {{}, {"epoch-00000004/partition-1.era-3.sst", 0, {}}});
  Rows rows(tables(2));
  rows.set(0, 3, std::vector<double>{1, 2});
  std::string file;
  const auto written = store->write(4, 1, {objects(), rows}, file);
  ASSERT_TRUE(written.ok()) << written.status().what();
  EXPECT_EQ(file, "epoch-00000004/partition-1.era-3.sst");
  EXPECT_EQ(hash_file(RunFolder{folder}.checkpoint() / file)->hash, written->hash);
  Rows back(tables(2));
  ASSERT_TRUE(store->read_rows(4, 1, back).ok());
  EXPECT_EQ(back.hash(), rows.hash());
  const auto object = store->read(4, 1, Object::slice, 1);
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(object->size(), 2U);
}

// Names were fixed: a store of an earlier start that was still running renamed its file over a committed one.
TEST_F(DiskCheckpointFiles, AnEarlierStartReplacesNoLaterFile) {
  const auto zombie = disk_checkpoints(folder, 1, {});
  const auto store = disk_checkpoints(folder, 2, {{"epoch-00000004/partition-0.era-2.sst", 0, {}}});
  Rows rows(tables(2)), others(tables(2));
  rows.set(0, 3, std::vector<double>{1, 2});
  others.set(0, 3, std::vector<double>{5, 6});
  std::string committed, late;
  const auto written = store->write(4, 0, {objects(), rows}, committed);
  ASSERT_TRUE(written.ok());
  ASSERT_TRUE(zombie->write(4, 0, {objects(), others}, late).ok());
  EXPECT_NE(committed, late);
  EXPECT_EQ(hash_file(RunFolder{folder}.checkpoint() / committed)->hash, written->hash);
  Rows back(tables(2));
  ASSERT_TRUE(store->read_rows(4, 0, back).ok());
  EXPECT_EQ(back.hash(), rows.hash());
}

TEST_F(DiskCheckpointFiles, RowsOfAnotherWidthAreRefused) {
  const auto store = disk_checkpoints(folder, 1, {{"epoch-00000004/partition-0.era-1.sst", 0, {}}});
  Rows rows(tables(2));
  rows.set(0, 3, std::vector<double>{1, 2});
  std::string file;
  ASSERT_TRUE(store->write(4, 0, {objects(), rows}, file).ok());
  Rows narrow(tables(1));
  EXPECT_EQ(store->read_rows(4, 0, narrow).code(), ExitCode::disk);
  Rows none({});
  EXPECT_EQ(store->read_rows(4, 0, none).code(), ExitCode::disk);
}

}  // namespace
}  // namespace rota
