// Checkpoints of a run on disk: RUN/checkpoint/epoch-N/partition-P.sst.
#include "base/files.h"
#include "base/run_folder.h"
#include "kvstore/partition.h"

namespace rota {

namespace {

class DiskCheckpoints final : public CheckpointStore {
 public:
  explicit DiskCheckpoints(const std::filesystem::path& run) : run_{run} {}

  Result<FileHash> write(Epoch epoch, std::uint32_t partition, const std::vector<Put>& objects, const Rows& rows,
                         std::string& file) override {
    const auto path = path_of(epoch, partition);
    ROTA_TRY(make_folder(path.parent_path()));
    file = std::filesystem::relative(path, run_.checkpoint()).string();
    return write_checkpoint(path, objects, rows);
  }

  Status read_rows(Epoch epoch, std::uint32_t partition, Rows& rows) override {
    auto from = CheckpointFile::open(path_of(epoch, partition));
    if (!from.ok()) return from.status();
    Status status;
    const Status read = (*from)->for_each_row([&](TableId table, Key key, const std::vector<double>& values) {
      if (!rows.has_table(table) || values.size() != rows.tables()[table].row_width)
        status = Status(ExitCode::disk, "a row of the checkpoint does not fit its table");
      else
        rows.row(table, key) = values;
    });
    ROTA_TRY(read);
    return status;
  }

  Result<Bytes> read(Epoch epoch, std::uint32_t partition, Object object, std::uint64_t number) override {
    auto from = CheckpointFile::open(path_of(epoch, partition));
    if (!from.ok()) return from.status();
    return (*from)->get(object, number);
  }

 private:
  std::filesystem::path path_of(Epoch epoch, std::uint32_t partition) const {
    return run_.checkpoint(epoch) / RunFolder::partition_file(partition);
  }

  RunFolder run_;
};

}  // namespace

std::shared_ptr<CheckpointStore> disk_checkpoints(const std::filesystem::path& run) {
  return std::make_shared<DiskCheckpoints>(run);
}

}  // namespace rota
