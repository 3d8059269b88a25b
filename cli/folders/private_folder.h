// cli/folders/private_folder.h -- folders that only this user can enter: short-lived ones for sockets or keys, and
// those where a machine keeps what is of a run.
#pragma once
#include <filesystem>
#include <string_view>
#include <utility>

#include "core/base/files.h"
#include "core/base/status.h"
#include "core/job/run_folder.h"

namespace rota {

// Makes a folder that stays, or takes the one that is there: what is in it will be believed, so it must be closed to
// others.  ExitCode::not_authorised if it is not.
Status make_closed_folder(const std::filesystem::path& folder);

// Removed with what is in it at the end.
class PrivateFolder {
 public:
  // In $XDG_RUNTIME_DIR if that is there and short enough for the names of sockets, else in /tmp.
  static Result<PrivateFolder> make(std::string_view prefix);
  // The same, and for the next of this kind to see whether its owner lives: those of this user and prefix whose owner
  // died are removed.
  static Result<PrivateFolder> make_watched(std::string_view prefix);
  PrivateFolder(PrivateFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  ~PrivateFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit PrivateFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  FileDescriptor lock_;
};

// ---- what a job that was killed leaves in the folder of its sockets

// What the names of the folders for a job's sockets begin with.
inline constexpr char kSocketFolderPrefix[] = "rota-";

// Removes the sockets of the job's processes from the folder that RUN/address names, if no process listens there; and
// the folder, if it is empty then and of the kind that `rota` makes for itself.  Nothing else, and no link is followed:
// the address may be anybody's, and the folder the user's own.
void remove_dead_sockets(const RunFolder& run);

}  // namespace rota
