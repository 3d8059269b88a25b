#include "core/checkpoint/chunk_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/file_hash.h"
#include "core/base/files.h"
#include "core/base/start_number.h"
#include "core/job/run_folder.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

Status failed(const fs::path& path, int error) {
  return {ExitCode::disk, path.string() + ": " + std::generic_category().message(error)};
}

// What cannot be opened is the disk's fault here, but for a want of descriptors.
Status disk(const Status& status) {
  return {status.code() == ExitCode::temporary ? ExitCode::temporary : ExitCode::disk, status.what()};
}

class DiskChunkFiles final : public ChunkFiles {
 public:
  explicit DiskChunkFiles(const fs::path& run) : run_{run} {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
    std::uint64_t number = new_start_number();
    for (int i = 0; i < 6; ++i, number /= kLetters.size()) unfinished_ += kLetters[number % kLetters.size()];
  }

  bool has(const HashedFile& file) override {
    std::error_code error;
    const fs::path path = run_.checkpoint() / file.file;
    if (fs::file_size(path, error) != file.bytes || error) return false;
    const auto measured = hash_file(path);
    return measured.ok() && measured->bytes == file.bytes && measured->hash == file.hash;
  }

  Result<Bytes> read(const std::string& file, std::uint64_t at, std::uint64_t bytes) override {
    const fs::path path = run_.checkpoint() / file;
    const auto fd = open_file(path, O_RDONLY | O_NOFOLLOW);
    if (!fd.ok()) return disk(fd.status());
    std::vector<std::byte> read(bytes);
    const std::ptrdiff_t n = read_at(fd->get(), read, at);
    if (n < 0) return failed(path, errno);
    if (n != std::ssize(read)) return Status(ExitCode::disk, path.string() + ": it is shorter than it was");
    return Bytes::from(std::move(read));
  }

  Status write(const std::string& file, std::uint64_t at, const Bytes& bytes) override {
    const fs::path path = unfinished(file);
    ROTA_ASSIGN(auto fd, open_unfinished(path));
    const int error = write_at(fd.get(), bytes.view(), at);
    return error == 0 ? Status() : failed(path, error);
  }

  Status finish(const HashedFile& file) override {
    const fs::path from = unfinished(file.file), to = run_.checkpoint() / file.file;
    ROTA_ASSIGN(auto fd, open_unfinished(from));
    if (::fsync(fd.get()) != 0) return failed(from, errno);
    std::error_code error;
    ROTA_ASSIGN(const auto measured, hash_file(from));
    if (measured.bytes != file.bytes || measured.hash != file.hash) {
      fs::remove(from, error);
      return {ExitCode::disk, to.string() + ": what came is not what was written on the other machine"};
    }
    fs::rename(from, to, error);
    if (error) return {ExitCode::disk, to.string() + ": " + error.message()};
    return sync_folder(to.parent_path());
  }

  void drop_before(std::uint32_t partition, Epoch epoch) override {
    std::error_code error;
    const std::string start = "partition-" + std::to_string(partition) + ".";
    for (const fs::path& folder : run_.epochs()) {
      if (folder >= run_.checkpoint(epoch)) continue;
      std::vector<fs::path> old;
      for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        if (const std::string name = at->path().filename().string();
            name.starts_with(start) && RunFolder::is_of_epoch(name))
          old.push_back(at->path());
      for (const fs::path& file : old) fs::remove(file, error);
      fs::remove(folder, error);  // if nothing else is in it
    }
  }

 private:
  fs::path unfinished(const std::string& file) const { return (run_.checkpoint() / file).string() + unfinished_; }

  static Result<FileDescriptor> open_unfinished(const fs::path& path) {
    ROTA_TRY(make_folder(path.parent_path()));
    auto fd = open_file(path, O_WRONLY | O_CREAT | O_NOFOLLOW);
    if (!fd.ok()) return disk(fd.status());
    return fd;
  }

  RunFolder run_;
  // As core/base/files.h has it.  Of this object alone: a process that was taken for dead may be getting the same file.
  std::string unfinished_ = ".unfinished-";
};

}  // namespace

std::shared_ptr<ChunkFiles> disk_chunk_files(const fs::path& run) {
  return std::make_shared<DiskChunkFiles>(run);
}

}  // namespace rota
