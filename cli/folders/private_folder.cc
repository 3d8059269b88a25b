#include "cli/folders/private_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

namespace rota {

namespace fs = std::filesystem;

namespace {

// sockaddr_un has 108 bytes; the names of the sockets in the folder take the rest.
constexpr std::size_t kParentMost = 56;
constexpr const char* kLock = "lock";
constexpr std::size_t kLettersAfterPrefix = 6;  // of make_private_folder

fs::path parent_folder() {
  const char* wanted = std::getenv("XDG_RUNTIME_DIR");
  const fs::path parent = wanted == nullptr ? "" : wanted;
  const bool usable =
      !parent.empty() && parent.string().size() <= kParentMost && ::access(parent.c_str(), W_OK | X_OK) == 0;
  return usable ? parent : fs::path("/tmp");
}

// Whether its owner held the lock once, and does no more.
bool is_left(const fs::path& folder) {
  struct stat facts = {};
  if (::lstat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) || facts.st_uid != ::geteuid() ||
      (facts.st_mode & 0777) != 0700)
    return false;
  const FileDescriptor lock(::open((folder / kLock).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  return lock.open() && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_left(const fs::path& parent, std::string_view prefix) {
  std::vector<fs::path> left;
  std::error_code error;
  for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool is_ours = name.starts_with(prefix) && name.size() == prefix.size() + kLettersAfterPrefix;
    if (is_ours && is_left(at->path())) left.push_back(at->path());
  }
  for (const fs::path& folder : left) fs::remove_all(folder, error);
}

}  // namespace

Status make_closed_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0) return {};
  struct stat facts = {};
  if (errno != EEXIST || ::lstat(folder.c_str(), &facts) != 0)
    return {ExitCode::cannot_write, "cannot make " + folder.string() + ": " + std::generic_category().message(errno)};
  if (S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid() && (facts.st_mode & 077) == 0) return {};
  return {ExitCode::not_authorised, folder.string() + " is not a folder that only this user can enter"};
}

Result<PrivateFolder> PrivateFolder::make(std::string_view prefix) {
  remove_left(parent_folder(), prefix);
  ROTA_ASSIGN(auto path, make_private_folder(parent_folder(), prefix));
  PrivateFolder folder(std::move(path));
  // It has its name only once it is held: no process may take this folder for an abandoned one.
  const fs::path lock = folder.path() / kLock, unfinished = folder.path() / "lock.unfinished";
  folder.lock_ = FileDescriptor(::open(unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!folder.lock_.open() || ::flock(folder.lock_.get(), LOCK_EX | LOCK_NB) != 0 ||
      ::rename(unfinished.c_str(), lock.c_str()) != 0)
    return Status(ExitCode::cannot_write, lock.string() + ": " + std::generic_category().message(errno));
  return folder;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace rota
