// cli/folders/private_folder.h -- folders that only this user can enter: short-lived ones for sockets or keys, and
// those where a machine keeps what is of a run.
#pragma once
#include <filesystem>
#include <string_view>
#include <utility>

#include "core/base/files.h"
#include "core/base/status.h"

namespace rota {

// Makes a folder that stays, or takes the one that is there: what is in it will be believed, so it must be closed to
// others.  ExitCode::not_authorised if it is not.
Status make_closed_folder(const std::filesystem::path& folder);

// Removed with what is in it at the end.
class PrivateFolder {
 public:
  // In $XDG_RUNTIME_DIR if that is there and short enough for the names of sockets, else in /tmp.  Removes those of
  // this user and prefix whose owner was killed: they have a lock that no process holds.
  static Result<PrivateFolder> make(std::string_view prefix);
  PrivateFolder(PrivateFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  ~PrivateFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit PrivateFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  FileDescriptor lock_;
};

}  // namespace rota
