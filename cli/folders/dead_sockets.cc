#include "cli/folders/dead_sockets.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/files.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kAddressBytesMax = 4096;
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
  auto address = read_whole_file(run.address(), kAddressBytesMax);
  if (!address.ok() || !address->starts_with(kIpc)) return;
  while (address->ends_with('\n')) address->pop_back();
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
