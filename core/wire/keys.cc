#include "core/wire/keys.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <system_error>

#include "core/base/files.h"
#include "core/base/trust.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

// Partitions live in processes of other roles.
constexpr std::array kRoles = {Role::coordinator, Role::scheduler, Role::worker, Role::kvstore, Role::observer};
constexpr std::string_view kFormat = "rota-key-1";
constexpr std::size_t kTextSize = 40;
constexpr std::size_t kFileBytesMax = 4096;

using KeyText = std::array<char, kTextSize + 1>;  // with the zero that ZeroMQ appends

fs::path file_of(const fs::path& folder, Role role, const char* kind) {
  return folder / (std::string(role_name(role)) + "." + kind);
}

Status failed(ExitCode code, const fs::path& path, int error) {
  return {code, path.string() + ": " + std::generic_category().message(error)};
}

// Never over a file that is there.
Status write_key(const fs::path& file, Role role, const char* kind, const KeyText& key) {
  const FileDescriptor fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.open()) return failed(ExitCode::cannot_write, file, errno);
  const std::string line =
      std::string(kFormat) + " " + role_name(role) + " " + kind + " " + std::string(key.data(), kTextSize) + "\n";
  if (::fchmod(fd.get(), 0600) != 0) return failed(ExitCode::cannot_write, file, errno);
  if (::write(fd.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()) || ::fsync(fd.get()) != 0)
    return failed(ExitCode::disk, file, errno);
  return {};
}

Result<std::string> read_key(const fs::path& folder, Role role, const char* kind) {
  const fs::path file = file_of(folder, role, kind);
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error)))
    return Status(ExitCode::no_input, "there is no " + std::string(kind) + " key of a " + role_name(role) + ": " +
                                          file.string() + "; `rota keys DIR` makes keys");
  ROTA_TRY(check_secret(file));
  ROTA_ASSIGN(const std::string text, read_whole_file(file, kFileBytesMax));
  std::istringstream words(text);
  std::string format, whose, what, key, more;
  words >> format >> whose >> what >> key;
  const bool whole = !words.fail() && !(words >> more);
  std::array<std::uint8_t, 32> bytes{};
  if (!whole || format != kFormat || whose != role_name(role) || what != kind || key.size() != kTextSize ||
      zmq_z85_decode(bytes.data(), key.c_str()) == nullptr)
    return Status(ExitCode::bad_data, file.string() + ":1: not the " + kind + " key of a " + role_name(role));
  return key;
}

}  // namespace

Status make_keys(const fs::path& folder) {
  std::error_code error;
  if (folder.has_parent_path()) ROTA_TRY(make_folder(folder.parent_path()));
  if (::mkdir(folder.c_str(), 0700) != 0) {
    if (errno != EEXIST) return failed(ExitCode::cannot_write, folder, errno);
    const bool holds_nothing = fs::is_directory(fs::symlink_status(folder, error)) && fs::is_empty(folder, error);
    if (!holds_nothing || error)
      return {ExitCode::cannot_write, folder.string() + " is not empty: choose another folder for the keys"};
  }
  if (::chmod(folder.c_str(), 0700) != 0) return failed(ExitCode::cannot_write, folder, errno);
  ROTA_TRY(check_secret(folder));
  for (const Role role : kRoles) {
    KeyText own{}, secret{};
    if (zmq_curve_keypair(own.data(), secret.data()) != 0)
      return {ExitCode::failed, std::string("cannot make keys: ") + zmq_strerror(errno)};
    ROTA_TRY(write_key(file_of(folder, role, "public"), role, "public", own));
    ROTA_TRY(write_key(file_of(folder, role, "secret"), role, "secret", secret));
  }
  return sync_folder(folder);
}

Result<std::shared_ptr<const Keys>> read_keys(const fs::path& folder, Role role) {
  std::error_code error;
  if (!fs::exists(folder, error))
    return Status(ExitCode::no_input, folder.string() + ": there are no keys; `rota keys DIR` makes some");
  ROTA_TRY(check_secret(folder));
  auto keys = std::make_shared<Keys>();
  keys->role = role;
  ROTA_ASSIGN(keys->secret, read_key(folder, role, "secret"));
  for (const Role known : kRoles) {
    ROTA_ASSIGN(const std::string key, read_key(folder, known, "public"));
    for (const auto& [other, of_other] : keys->known)
      if (of_other == key)
        return Status(ExitCode::bad_data, folder.string() + ": one key is that of a " + role_name(other) +
                                              " and that of a " + role_name(known));
    keys->known[known] = key;
  }
  KeyText derived{};
  if (zmq_curve_public(derived.data(), keys->secret.c_str()) != 0 || keys->own() != derived.data())
    return Status(ExitCode::bad_data, folder.string() + ": the two keys of a " + role_name(role) + " are no pair");
  return std::shared_ptr<const Keys>(std::move(keys));
}

}  // namespace rota
