#include "core/job/run_lock.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

class Era : public TemporaryFolder {
 protected:
  Era() { std::filesystem::create_directory(run.checkpoint()); }
  RunFolder run{folder};
};

TEST_F(Era, IsOneMoreAtEveryStart) {
  for (std::uint64_t era = 1; era < 5; ++era) EXPECT_EQ(*begin_era(run), era);
}

TEST_F(Era, IsNeverThatOfAnExistingFile) {
  write("checkpoint/epoch-00000003/" + RunFolder::partition_file(1, 40), "");
  write("checkpoint/epoch-00000002/" + RunFolder::partition_file(0, 8) + ".unfinished", "");
  EXPECT_EQ(*begin_era(run), 41U);
  EXPECT_EQ(*begin_era(run), 42U);
  write("checkpoint/era", "");
  EXPECT_EQ(*begin_era(run), 41U) << "the file is torn: file names give the era";
}

TEST_F(Era, ThatCannotBeStoredIsAnError) {
  std::filesystem::create_directory(run.era());
  EXPECT_FALSE(begin_era(run).ok());
}

}  // namespace
}  // namespace rota
