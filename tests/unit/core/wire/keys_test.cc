#include "core/wire/keys.h"

#include <sys/stat.h>

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

namespace fs = std::filesystem;

constexpr Role kRoles[] = {Role::coordinator, Role::scheduler, Role::worker, Role::kvstore, Role::observer};

class KeysTest : public TemporaryFolder {
 protected:
  KeysTest() : keys(folder / "keys") {
    const Status made = make_keys(keys);
    EXPECT_TRUE(made.ok()) << made.what();
  }
  Status refusal(Role role = Role::worker) { return read_keys(keys, role).status(); }
  static unsigned mode(const fs::path& path) {
    struct stat facts = {};
    return ::stat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777U : 0;
  }

  fs::path keys;
};

TEST_F(KeysTest, OneOfEachRoleForThisUserAlone) {
  EXPECT_EQ(mode(keys), 0700U);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(keys)) {
    ++files;
    EXPECT_EQ(mode(entry.path()), 0600U) << entry.path();
  }
  EXPECT_EQ(files, 10U);
  std::set<std::string> all;
  for (const Role role : kRoles) {
    const auto read = read_keys(keys, role);
    ASSERT_TRUE(read.ok()) << read.status().what();
    EXPECT_EQ((*read)->role, role);
    EXPECT_EQ((*read)->known.size(), 5U);
    EXPECT_EQ((*read)->secret.size(), 40U);
    all.insert((*read)->secret);
    all.insert((*read)->own());
  }
  EXPECT_EQ(all.size(), 10U);
}

TEST_F(KeysTest, ANonEmptyFolderIsNotChanged) {
  const std::string before = read(keys / "worker.secret");
  EXPECT_EQ(make_keys(keys).code(), ExitCode::cannot_write);
  EXPECT_EQ(read(keys / "worker.secret"), before);
  write("other/notes", "mine");
  EXPECT_EQ(make_keys(folder / "other").code(), ExitCode::cannot_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "other"), {}), 1);
  EXPECT_EQ(make_keys(folder / "other/notes").code(), ExitCode::cannot_write);
  fs::create_directory(folder / "empty");
  ASSERT_EQ(::chmod((folder / "empty").c_str(), 0755), 0);
  fs::create_directory_symlink(folder / "empty", folder / "link");
  EXPECT_EQ(make_keys(folder / "link").code(), ExitCode::cannot_write);
  EXPECT_TRUE(make_keys(folder / "empty").ok());
  EXPECT_EQ(mode(folder / "empty"), 0700U);
}

TEST_F(KeysTest, AWorkerNeedsOnlyItsOwnSecret) {
  for (const char* role : {"coordinator", "scheduler", "kvstore", "observer"})
    fs::remove(keys / (std::string(role) + ".secret"));
  EXPECT_TRUE(read_keys(keys, Role::worker).ok());
  EXPECT_EQ(refusal(Role::scheduler).code(), ExitCode::no_input);
  EXPECT_NE(refusal(Role::scheduler).what().find("there is no secret key of a scheduler"), std::string::npos);
}

TEST_F(KeysTest, WhatOthersCouldHaveReadOrChangedIsRefused) {
  for (const char* name : {"worker.secret", "worker.public", "coordinator.public", ""}) {
    const fs::path path = keys / name;
    const unsigned right = mode(path);
    for (const unsigned open : {0040U, 0004U, 0020U, 0002U}) {
      ASSERT_EQ(::chmod(path.c_str(), right | open), 0);
      EXPECT_EQ(refusal().code(), ExitCode::not_authorised) << path << " " << open;
    }
    ASSERT_EQ(::chmod(path.c_str(), right), 0);
  }
  ASSERT_EQ(::chmod((keys / "scheduler.secret").c_str(), 0644), 0);
  EXPECT_TRUE(read_keys(keys, Role::worker).ok()) << "other roles' keys are not checked";
  fs::rename(keys / "worker.secret", folder / "elsewhere");
  fs::create_symlink(folder / "elsewhere", keys / "worker.secret");
  EXPECT_EQ(refusal().code(), ExitCode::not_authorised);
}

TEST_F(KeysTest, AnInvalidKeyIsRefusedWithoutBeingShown) {
  const std::string whole = read(keys / "worker.secret");
  const std::string of_scheduler = read(keys / "scheduler.secret");
  const std::string its_key = whole.substr(whole.rfind(' ') + 1, 40);
  const auto put = [&](const std::string& text) {
    write("keys/worker.secret", text);  // its mode stays
    const Status status = refusal();
    EXPECT_EQ(status.code(), ExitCode::bad_data) << status.what();
    EXPECT_EQ(status.what().find(its_key.substr(0, 20)), std::string::npos) << status.what();
  };
  for (const std::string& text : {std::string(), std::string("\n"), whole.substr(0, whole.size() - 2), whole + "more\n",
                                  "x" + whole, of_scheduler, read(keys / "worker.public"),
                                  std::string("rota-key-1 worker secret ") + std::string(39, 'a') + "\"\n"})
    put(text);
  std::string changed = whole;
  changed[changed.size() - 10] = changed[changed.size() - 10] == 'a' ? 'b' : 'a';
  put(changed);
  write("keys/worker.secret", whole);
  EXPECT_TRUE(read_keys(keys, Role::worker).ok());
}

TEST_F(KeysTest, AKeyHasOneRole) {
  std::string of_worker = read(keys / "worker.public");
  of_worker.replace(of_worker.find("worker"), 6, "scheduler");
  write("keys/scheduler.public", of_worker);
  EXPECT_EQ(refusal().what(), keys.string() + ": one key is that of a scheduler and that of a worker");
}

TEST_F(KeysTest, NoFolderIsNoInput) {
  EXPECT_EQ(read_keys(folder / "none", Role::worker).status().code(), ExitCode::no_input);
}

}  // namespace
}  // namespace rota
