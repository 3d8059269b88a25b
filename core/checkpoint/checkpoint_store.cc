#include "core/checkpoint/checkpoint_store.h"

#include <cerrno>

#include "core/checkpoint/checkpoint_file.h"
#include "core/job/run_folder.h"

namespace rota {

namespace {

Status failed(const char* what, const std::filesystem::path& file, int error) {
  return {code_of_write(error),
          std::string("cannot ") + what + " a checkpoint's objects beside " + file.string() + ": " + reason_of(error)};
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
  if (const int error = write_at(fd_.get(), bytes, end_)) return failed("write", file_, error);
  places_.push_back({put.epoch, {put.object, put.id, put.hash}, end_, bytes.size()});
  end_ += bytes.size();
  return {};
}

Result<Put> ObjectSpill::read(std::size_t i) const {
  const Place& place = places_[i];
  std::vector<std::byte> bytes(place.bytes);
  const std::ptrdiff_t n = read_at(fd_.get(), bytes, place.at);
  if (n != std::ssize(bytes)) return failed("read", file_, n < 0 ? errno : EIO);
  Put put{place.epoch, place.what.object, place.what.id, place.what.hash, Bytes::from(std::move(bytes))};
  if (hash128(put.bytes.view()) != put.hash)
    return Status(ExitCode::disk, "an object beside " + file_.string() + " is not as it was written");
  return put;
}

namespace {

class DiskCheckpoints final : public CheckpointStore {
 public:
  DiskCheckpoints(const std::filesystem::path& run, std::uint64_t era, std::vector<HashedFile> files)
      : run_{run}, era_(era), files_(std::move(files)) {}

  std::shared_ptr<ObjectSpill> spill(Epoch epoch, std::uint32_t partition) const override {
    return std::make_shared<ObjectSpill>(path_of(epoch, partition));
  }
  Result<FileHash> write(Epoch epoch, std::uint32_t partition, const CheckpointContent& content,
                         std::string& file) override {
    const auto path = path_of(epoch, partition);
    ROTA_TRY(make_folder(path.parent_path()));
    file = (path.parent_path().filename() / path.filename()).string();
    return write_checkpoint(path, content);
  }

  Status read_rows(Epoch, std::uint32_t partition, Rows& rows) override {
    ROTA_ASSIGN(auto from, open(partition));
    Status status;
    const Status read = from->for_each_row([&](TableId table, Key key, std::span<const double> values) {
      if (!rows.may_have(table, key) || values.size() != rows.tables()[table].row_width)
        status = Status(ExitCode::disk, "a row of the checkpoint does not fit its table");
      else
        rows.set(table, key, values);
    });
    ROTA_TRY(read);
    return status;
  }

  Result<Bytes> read(Epoch, std::uint32_t partition, Object object, std::uint64_t number) override {
    ROTA_ASSIGN(auto from, open(partition));
    return from->get(object, number);
  }

 private:
  std::filesystem::path path_of(Epoch epoch, std::uint32_t partition) const {
    return run_.checkpoint(epoch) / RunFolder::partition_file(partition, era_);
  }
  // Of the epoch to resume.
  Result<std::unique_ptr<CheckpointFile>> open(std::uint32_t partition) const {
    if (partition >= files_.size())
      return Status(ExitCode::disk, "partition " + std::to_string(partition) + " has no file in the checkpoint");
    return CheckpointFile::open(run_.checkpoint() / files_[partition].file);
  }

  RunFolder run_;
  std::uint64_t era_;
  std::vector<HashedFile> files_;
};

}  // namespace

std::shared_ptr<CheckpointStore> disk_checkpoints(const std::filesystem::path& run, std::uint64_t era,
                                                  std::vector<HashedFile> files) {
  return std::make_shared<DiskCheckpoints>(run, era, std::move(files));
}

}  // namespace rota
