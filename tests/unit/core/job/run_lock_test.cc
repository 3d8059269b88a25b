#include "core/job/run_lock.h"

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

using RunLock = TemporaryFolder;

// Two coordinators worked in one folder.
TEST_F(RunLock, IsHeldByOneAtATime) {
  const RunFolder run{folder / "run"};
  std::optional<FileDescriptor> first(lock_run(run).value());
  const auto second = lock_run(run);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), ExitCode::cannot_write);
  EXPECT_EQ(second.status().what(), "another coordinator runs in " + run.path.string());
  first.reset();
  EXPECT_TRUE(lock_run(run).ok());
}

TEST_F(RunLock, IsNoLinkToAnothersFile) {
  const RunFolder run{folder};
  write("mine", "");
  std::filesystem::create_directory(run.checkpoint());
  std::filesystem::create_symlink(folder / "mine", run.lock());
  EXPECT_EQ(lock_run(run).status().code(), ExitCode::cannot_write);
}

}  // namespace
}  // namespace rota
