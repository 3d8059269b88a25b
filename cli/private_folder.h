// cli/private_folder.h -- a short-lived folder for sockets or keys that only this user can enter.
#pragma once
#include <filesystem>
#include <string_view>
#include <utility>

#include "core/base/files.h"
#include "core/base/status.h"

namespace rota {

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

}  // namespace rota
