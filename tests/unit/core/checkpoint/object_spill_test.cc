#include "core/checkpoint/checkpoint_store.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

Put put_of(std::uint64_t id, std::size_t size) {
  const Bytes bytes = Bytes::from(std::vector<std::byte>(size, static_cast<std::byte>(id)));
  return {3, Object::slice, id, hash128(bytes.view()), bytes};
}

class ObjectSpills : public TemporaryFolder {
 protected:
  std::filesystem::path path() const { return folder / "epoch" / "partition-0.sst"; }
};

TEST_F(ObjectSpills, GiveBackWhatWasAddedInAnyOrder) {
  ObjectSpill spill(path());
  const std::vector<Put> objects = {put_of(7, 100000), put_of(2, 0), put_of(9, 1), put_of(1, 5000)};
  for (const Put& put : objects) ASSERT_TRUE(spill.add(put).ok());
  ASSERT_EQ(spill.size(), objects.size());
  for (std::size_t i = objects.size(); i-- > 0;) {
    const auto back = spill.read(i);
    ASSERT_TRUE(back.ok()) << back.status().what();
    EXPECT_EQ(back->epoch, 3U);
    EXPECT_EQ(back->object, Object::slice);
    EXPECT_EQ(back->id, objects[i].id);
    EXPECT_EQ(back->hash, objects[i].hash);
    EXPECT_TRUE(std::ranges::equal(back->bytes.view(), objects[i].bytes.view()));
    EXPECT_EQ(spill.object(i).hash, objects[i].hash);
  }
}

TEST_F(ObjectSpills, LeaveNoFileName) {
  ObjectSpill spill(path());
  EXPECT_FALSE(std::filesystem::exists(path().parent_path())) << "without objects there is no folder";
  ASSERT_TRUE(spill.add(put_of(1, 10)).ok());
  EXPECT_TRUE(std::filesystem::is_empty(path().parent_path())) << "no file is left if the process is killed";
}

}  // namespace
}  // namespace rota
