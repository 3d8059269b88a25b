#include "core/base/trust.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kSomebody = 54321;  // no user of any system

class TrustTest : public TemporaryFolder {
 protected:
  TrustTest() : file(write("a/b/file", "text")) {
    set(folder / "a", 0755);
    set(folder / "a/b", 0755);
    set(file, 0644);
  }
  static void set(const fs::path& path, mode_t mode) { ASSERT_EQ(::chmod(path.c_str(), mode), 0) << path; }
  static std::string why(const Status& status) {
    EXPECT_TRUE(status.ok() || status.code() == ExitCode::not_authorised) << status.what();
    return status.what();
  }

  fs::path file;
};

TEST_F(TrustTest, OwnFilesAreTrusted) {
  EXPECT_EQ(why(check_trusted(file)), "");
  EXPECT_EQ(why(check_own(file)), "");
  EXPECT_EQ(why(check_own(folder / "a")), "");
  EXPECT_EQ(why(check_trusted("/")), "");
  EXPECT_EQ(why(check_trusted("/proc/self/exe")), "") << "a program of root's, or our own";
}

TEST_F(TrustTest, WorldWritableFilesAreNotTrusted) {
  set(file, 0646);
  EXPECT_EQ(why(check_trusted(file)), file.string() + " can be changed by everybody (mode 646): chmod o-w");
  set(file, 0644);
  for (const fs::path& above : {folder / "a/b", folder / "a"}) {
    set(above, 0757);
    EXPECT_EQ(why(check_trusted(file)), above.string() + " can be changed by everybody (mode 757): chmod o-w");
    set(above, 01757);
    EXPECT_EQ(why(check_trusted(file)), "") << "as in /tmp, others cannot replace our files";
    EXPECT_NE(why(check_trusted(above)), "") << "but they can add files to a trusted folder";
    set(above, 0755);
  }
}

// A user whose programs are in a folder that others can write to trusts those others already.
TEST_F(TrustTest, TheFolderOfTheProgramIsTrusted) {
  set(folder / "a", 0777);
  const fs::path beside = write("a/bin/program", ""), elsewhere = write("c/program", "");
  EXPECT_EQ(why(check_trusted(file, beside)), "");
  EXPECT_NE(why(check_trusted(file, elsewhere)), "");
  EXPECT_NE(why(check_trusted(file, folder / "none")), "");
  EXPECT_NE(why(check_trusted(file, write("aa/program", ""))), "");
  set(folder / "a/b", 0777);
  EXPECT_NE(why(check_trusted(file, beside)), "") << "where it is not";
}

TEST_F(TrustTest, AMissingFileIsNoInput) {
  EXPECT_EQ(check_trusted(folder / "none").code(), ExitCode::no_input);
  EXPECT_EQ(check_own(folder / "none").code(), ExitCode::no_input);
  EXPECT_EQ(check_secret(folder / "none").code(), ExitCode::no_input);
}

TEST_F(TrustTest, ASecretIsForItsOwnerOnly) {
  for (const mode_t open : {0640, 0604, 0620, 0601}) {
    set(file, open);
    EXPECT_NE(why(check_secret(file)).find("is open to others"), std::string::npos) << open;
  }
  set(file, 0600);
  EXPECT_EQ(why(check_secret(file)), "");
  fs::create_symlink(file, folder / "link");
  EXPECT_NE(why(check_secret(folder / "link")).find("is a link"), std::string::npos);
}

TEST_F(TrustTest, OnlyThePrivateGroupMayWrite) {
  set(file, 0664);
  const passwd* user = ::getpwuid(::geteuid());
  const std::string name = user == nullptr ? "" : user->pw_name;
  const gid_t own = user == nullptr ? 0 : user->pw_gid;
  struct stat facts = {};
  ASSERT_EQ(::stat(file.c_str(), &facts), 0);
  const group* of_file = ::getgrgid(facts.st_gid);
  const bool is_private =
      of_file != nullptr && facts.st_gid == own && name == of_file->gr_name && (of_file->gr_mem[0] == nullptr);
  EXPECT_EQ(check_trusted(file).ok(), is_private);
  if (::chown(file.c_str(), static_cast<uid_t>(-1), 54321) != 0) GTEST_SKIP() << "only root gives files away";
  set(file, 0664);
  EXPECT_EQ(why(check_trusted(file)), file.string() + " can be changed by its group (mode 664): chmod g-w");
  set(file, 0644);
  EXPECT_EQ(why(check_trusted(file)), "");
}

TEST_F(TrustTest, FilesOfOtherUsersAreNotTrusted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const std::string theirs = " belongs to user " + std::to_string(kSomebody) + ", ";
  const auto give = [&](const fs::path& path, uid_t owner) { ASSERT_EQ(::chown(path.c_str(), owner, 0), 0); };
  for (const fs::path& given : {file, folder / "a/b", folder / "a"}) {
    give(given, kSomebody);
    EXPECT_TRUE(why(check_trusted(file)).starts_with(given.string() + theirs)) << why(check_trusted(file));
    EXPECT_TRUE(why(check_own(file)).starts_with(given.string() + theirs)) << why(check_own(file));
    give(given, 0);
  }
  // Root may run programs of others, which are still not its own.
  give(file, 1);
  EXPECT_EQ(why(check_own(file)), file.string() + " belongs to user 1, and you are user 0");
}

// As Kubernetes gives a Secret to a user who has no name: root's, in a sticky folder that it makes for everybody.
class ProvidedSecretTest : public TrustTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root provides secrets for others";
    set(folder, 0755);
    file = write("keys/..2026/worker.secret", "text");
    set(file, 0440);
    give(file, 0, kSomebody);
    set(folder / "keys/..2026", 02755);
    set(folder / "keys", 01777);
    fs::create_directory_symlink("..2026", folder / "keys/..data");
    fs::create_symlink("..data/worker.secret", link);
  }
  static void give(const fs::path& path, uid_t owner, gid_t group) {
    ASSERT_EQ(::lchown(path.c_str(), owner, group), 0) << path;
  }
  template <typename F>
  static std::string as_somebody(F&& check) {
    EXPECT_TRUE(::setegid(kSomebody) == 0 && ::seteuid(kSomebody) == 0);
    const Status status = check();
    EXPECT_TRUE(::seteuid(0) == 0 && ::setegid(0) == 0);
    return why(status);
  }
  static std::string refusal(const fs::path& path) {
    return as_somebody([&] { return check_secret(path); });
  }

  const fs::path link = folder / "keys/worker.secret";
};

TEST_F(ProvidedSecretTest, IsForThisUserAndItsGroup) {
  EXPECT_EQ(refusal(folder / "keys"), "");
  EXPECT_EQ(refusal(link), "");
  set(file, 0444);
  EXPECT_EQ(refusal(link), link.string() + " is open to others (mode 444): chmod o=");
  set(file, 0440);
  give(file, 0, kSomebody + 1);
  EXPECT_NE(refusal(link).find("is open to group 54322, which is not yours alone"), std::string::npos);
}

TEST_F(ProvidedSecretTest, CannotBeAnotherUsers) {
  give(file, kSomebody + 1, kSomebody);
  EXPECT_NE(refusal(link).find("leads to a file of user 54322"), std::string::npos);
  give(file, 0, kSomebody);
  give(link, kSomebody + 1, 0);
  EXPECT_NE(refusal(link).find("is a link"), std::string::npos);
  give(link, kSomebody, 0);
  EXPECT_NE(refusal(link).find("is a link"), std::string::npos) << "a user's own secrets are no links";
  give(link, 0, 0);
  set(folder / "keys", 0777);
  EXPECT_NE(refusal(link).find("can be changed by everybody"), std::string::npos);
  EXPECT_NE(refusal(folder / "keys").find("can be changed by everybody"), std::string::npos);
}

// A claim of Kubernetes: root's, and the group of this user may write.
TEST_F(ProvidedSecretTest, TheUsersGroupMayWriteIntoRootsFolders) {
  set(folder / "a", 02775);
  give(folder / "a", 0, kSomebody);
  const auto check = [&] { return check_trusted(folder / "a/b/file"); };
  EXPECT_EQ(as_somebody(check), "");
  EXPECT_NE(why(check()), "") << "it is not root's group";
  give(folder / "a", 0, kSomebody + 1);
  EXPECT_NE(as_somebody(check), "");
}

}  // namespace
}  // namespace rota
