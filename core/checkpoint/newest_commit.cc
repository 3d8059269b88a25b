#include "core/checkpoint/newest_commit.h"

#include "core/base/file_hash.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/records/json_records.h"

namespace rota {

namespace {

constexpr std::size_t kRecordBytesMax = std::size_t{16} << 20;

Result<CommitRecord> read_commit(const RunFolder& run, const std::filesystem::path& folder) {
  const auto its_record = folder / RunFolder::kCommitRecord;
  ROTA_ASSIGN(auto text, read_whole_file(its_record, kRecordBytesMax));
  ROTA_ASSIGN(auto record, commit_from_text(text).in(its_record.string()));
  for (const HashedFile& file : record.files) {
    const auto path = run.checkpoint() / file.file;
    ROTA_ASSIGN(auto measured, hash_file(path));
    if (measured.bytes != file.bytes || measured.hash != file.hash)
      return Status(ExitCode::disk, path.string() + ": not what the commit record says");
  }
  return record;
}

// With the epoch that is its best.
Result<ToResume> read_to_resume(const RunFolder& run, const std::filesystem::path& folder) {
  ROTA_ASSIGN(auto newest, read_commit(run, folder));
  ToResume found{std::move(newest), {}};
  const auto& best = found.newest.record.best;
  if (!best) return found;
  if (best->epoch == found.newest.epoch) {
    found.best = found.newest;
    return found;
  }
  ROTA_ASSIGN(found.best,
              read_commit(run, run.checkpoint(best->epoch)).in("the best epoch, " + std::to_string(best->epoch)));
  return found;
}

}  // namespace

Result<ToResume> newest_commit(const RunFolder& run, const Hash128& job) {
  std::string refused;   // why, of all
  bool versions = true;  // they are of other versions, all
  for (const auto& folder : run.epochs()) {
    std::error_code error;
    if (!std::filesystem::exists(folder / RunFolder::kCommitRecord, error) && !error) continue;
    auto found = read_to_resume(run, folder);
    if (found.status().code() == ExitCode::temporary) return found.status();
    if (!found.ok()) {
      log_warning("event=checkpoint_refused why=" + log_value(found.status().what()));
      refused += (refused.empty() ? "" : "; ") + found.status().what();
      versions = versions && found.status().code() == ExitCode::wrong_version;
      continue;
    }
    if (found->newest.job != job)
      return Status(ExitCode::usage, "the checkpoint in " + run.path.string() + " was made with other options");
    return found;
  }
  if (!refused.empty())
    return Status(versions ? ExitCode::wrong_version : ExitCode::disk,
                  "no checkpoint of " + run.path.string() + " can be used: " + refused + "; start a new run");
  return Status(ExitCode::no_input, "no epoch was committed in " + run.path.string());
}

}  // namespace rota
