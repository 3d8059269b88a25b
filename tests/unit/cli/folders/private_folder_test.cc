#include "cli/folders/private_folder.h"

#include <sys/stat.h>

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

namespace fs = std::filesystem;

class PrivateFolders : public TemporaryFolder {
 protected:
  PrivateFolders() { ::setenv("XDG_RUNTIME_DIR", folder.c_str(), 1); }
  ~PrivateFolders() override { ::unsetenv("XDG_RUNTIME_DIR"); }

  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
};

TEST_F(PrivateFolders, AreClosedToOthersAndGoWithTheirOwner) {
  fs::path path;
  {
    const auto made = PrivateFolder::make("rota-x-");
    ASSERT_TRUE(made.ok()) << made.status().what();
    path = made->path();
    EXPECT_EQ(path.parent_path(), folder);
    struct stat facts = {};
    ASSERT_EQ(::stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0700u);
    std::ofstream(path / "secret") << "s";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(PrivateFolders, OneThatStaysIsClosedToOthersOrRefused) {
  const fs::path path = folder / "stays";
  ASSERT_TRUE(make_closed_folder(path).ok());
  struct stat facts = {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700U);
  std::ofstream(path / "file") << "kept";
  EXPECT_TRUE(make_closed_folder(path).ok());
  EXPECT_TRUE(fs::exists(path / "file"));
  fs::permissions(path, fs::perms::group_read, fs::perm_options::add);
  EXPECT_EQ(make_closed_folder(path).code(), ExitCode::not_authorised);
  EXPECT_EQ(make_closed_folder(folder / "none" / "below").code(), ExitCode::cannot_write);
  fs::create_symlink(path, folder / "link");
  EXPECT_EQ(make_closed_folder(folder / "link").code(), ExitCode::not_authorised);
}

TEST_F(PrivateFolders, OfDeadOwnersAreRemovedByTheNext) {
  auto lives = PrivateFolder::make("rota-x-");
  ASSERT_TRUE(lives.ok()) << lives.status().what();
  // As left by a killed owner: with a lock that no process holds.
  const fs::path dead = *make_private_folder(folder, "rota-x-");
  std::ofstream(dead / "lock") << "";
  std::ofstream(dead / "secret") << "s";
  const fs::path not_yet = *make_private_folder(folder, "rota-x-");
  const fs::path other = *make_private_folder(folder, "rota-y-");
  std::ofstream(other / "lock") << "";
  const fs::path open = *make_private_folder(folder, "rota-x-");
  std::ofstream(open / "lock") << "";
  fs::permissions(open, fs::perms::others_read, fs::perm_options::add);
  const auto next = PrivateFolder::make("rota-x-");
  ASSERT_TRUE(next.ok()) << next.status().what();
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(lives->path()));
  EXPECT_TRUE(fs::exists(not_yet)) << "it may be about to be locked";
  EXPECT_TRUE(fs::exists(other));
  EXPECT_TRUE(fs::exists(open)) << "none of ours is open to others";
  EXPECT_EQ(count(), 5u);
}

}  // namespace
}  // namespace rota
