// Finds the epoch to continue from: the newest whose commit record is there and whose files are as it says.

#include "base/file_hash.h"
#include "base/files.h"
#include "base/log.h"
#include "coordinator/json_records.h"
#include "coordinator/run_recorder.h"

namespace rota {

namespace {

constexpr std::size_t kRecordBytesMax = std::size_t{16} << 20;

Result<CommitRecord> read_commit(const RunFolder& run, const std::filesystem::path& folder) {
  auto text = read_whole_file(folder / RunFolder::kCommitRecord, kRecordBytesMax);
  if (!text.ok()) return text.status();
  auto record = commit_from_json(*text);
  if (!record) return Status(ExitCode::disk, (folder / RunFolder::kCommitRecord).string() + ": damaged");
  for (const CommittedFile& file : record->files) {
    const auto path = run.checkpoint() / file.file;
    auto measured = hash_file(path);
    if (!measured.ok()) return measured.status();
    if (measured->bytes != file.bytes || measured->hash != file.hash)
      return Status(ExitCode::disk, path.string() + ": not what the commit record says");
  }
  return *record;
}

}  // namespace

Result<CommitRecord> newest_commit(const RunFolder& run, const Hash128& job) {
  for (const auto& folder : run.epochs()) {
    if (!std::filesystem::exists(folder / RunFolder::kCommitRecord)) continue;
    auto record = read_commit(run, folder);
    if (!record.ok()) {
      log_warning("event=checkpoint_refused why=" + log_value(record.status().what()));
      continue;
    }
    if (record->job != job)
      return Status(ExitCode::usage, "the checkpoint in " + run.path.string() + " was made with other options");
    return record;
  }
  return Status(ExitCode::no_input, "no checkpoint in " + run.path.string());
}

}  // namespace rota
