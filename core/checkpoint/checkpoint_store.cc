#include "core/checkpoint/checkpoint_store.h"

#include "core/base/files.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/job/run_folder.h"

namespace rota {

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
    const Status read = from->for_each_row([&](TableId table, Key key, const std::vector<double>& values) {
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
