#include "core/checkpoint/object_spill.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace rota {

namespace {

Status failed(const char* what, const std::filesystem::path& file, int error) {
  const bool disk = error == ENOSPC || error == EDQUOT || error == EIO;
  return {disk ? ExitCode::disk : ExitCode::cannot_write, std::string("cannot ") + what +
                                                              " a checkpoint's objects beside " + file.string() + ": " +
                                                              std::generic_category().message(error)};
}

}  // namespace

Status ObjectSpill::open() {
  ROTA_TRY(make_folder(file_.parent_path()));
  ROTA_ASSIGN(fd_, open_unnamed(file_));
  return {};
}

Status ObjectSpill::add(const Put& put) {
  if (!fd_.open()) ROTA_TRY(open());
  const std::span<const std::byte> bytes = put.bytes.view();
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::pwrite(fd_.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(end_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("write", file_, errno);
    done += static_cast<std::size_t>(n);
  }
  places_.push_back({put.epoch, {put.object, put.id, put.hash}, end_, bytes.size()});
  end_ += bytes.size();
  return {};
}

Result<Put> ObjectSpill::read(std::size_t i) const {
  const Place& place = places_[i];
  std::vector<std::byte> bytes(place.bytes);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::pread(fd_.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(place.at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failed("read", file_, n < 0 ? errno : EIO);
    done += static_cast<std::size_t>(n);
  }
  Put put{place.epoch, place.what.object, place.what.id, place.what.hash, Bytes::from(std::move(bytes))};
  if (hash128(put.bytes.view()) != put.hash)
    return Status(ExitCode::disk, "an object beside " + file_.string() + " is not as it was written");
  return put;
}

}  // namespace rota
