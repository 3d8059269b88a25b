#include "cli/folders/private_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

namespace rota {

namespace fs = std::filesystem;

namespace {

// sockaddr_un has 108 bytes; the names of the sockets in the folder take the rest.
constexpr std::size_t kParentMost = 60;
constexpr const char* kLock = "lock";

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
  for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string().starts_with(prefix) && is_left(at->path())) left.push_back(at->path());
  for (const fs::path& folder : left) fs::remove_all(folder, error);
}

}  // namespace

Status make_closed_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0) return {};
  struct stat facts = {};
  if (errno != EEXIST || ::lstat(folder.c_str(), &facts) != 0)
    return {ExitCode::cannot_write, "cannot make " + folder.string() + ": " + std::generic_category().message(errno)};
  if (S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid() && (facts.st_mode & 077) == 0) return {};
  return {ExitCode::not_authorised, folder.string() + " is no folder that only this user can enter"};
}

Result<PrivateFolder> PrivateFolder::make(std::string_view prefix) {
  ROTA_ASSIGN(auto folder, make_private_folder(parent_folder(), prefix));
  return PrivateFolder(std::move(folder));
}

Result<PrivateFolder> PrivateFolder::make_watched(std::string_view prefix) {
  remove_left(parent_folder(), prefix);
  ROTA_ASSIGN(auto folder, make(prefix));
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

namespace {

constexpr std::size_t kLettersAfterPrefix = 6;  // of make_private_folder

std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  DIR* open = ::fdopendir(::dup(folder));
  if (open == nullptr) return names;
  while (const dirent* entry = ::readdir(open)) names.emplace_back(entry->d_name);
  ::closedir(open);
  return names;
}

// Whether a connection is refused.  A socket that cannot be asked counts as alive.
bool is_abandoned(const fs::path& socket) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string& path = socket.native();
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const FileDescriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return fd.open() && ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

// Whether this is a folder that `rota` made for its sockets alone: by its name, and closed to other users.
bool is_rotas(const fs::path& folder, const struct stat& facts) {
  const std::string name = folder.filename().string();
  return name.starts_with(kSocketFolderPrefix) &&
         name.size() == std::strlen(kSocketFolderPrefix) + kLettersAfterPrefix && (facts.st_mode & 0777) == 0700;
}

}  // namespace

void remove_dead_sockets(const RunFolder& run) {
  constexpr std::string_view kIpc = "ipc://";
  const auto address = run.read_address();
  if (!address || !address->starts_with(kIpc)) return;
  const fs::path coordinator(address->substr(kIpc.size()));
  const fs::path folder = coordinator.parent_path();
  if (!folder.is_absolute()) return;
  const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts = {};
  if (!fd.open() || ::fstat(fd.get(), &facts) != 0 || facts.st_uid != ::geteuid()) return;
  for (const std::string& name : names_in(fd.get())) {
    struct stat entry = {};
    const bool known = name == coordinator.filename() || RunFolder::is_socket(name);
    if (!known || ::fstatat(fd.get(), name.c_str(), &entry, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISSOCK(entry.st_mode) && is_abandoned(folder / name)) ::unlinkat(fd.get(), name.c_str(), 0);
  }
  if (is_rotas(folder, facts)) ::rmdir(folder.c_str());  // only if it is empty
}

}  // namespace rota
