#include "cli/folders/fresh_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/base/json_text.h"
#include "core/job/run_lock.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr unsigned kMarkerFormat = 1;
constexpr std::size_t kMarkerBytesMax = 4096;
constexpr const char* kMarkerText = "`rota train` made this folder, and may clear what it wrote here";

// Of a run that committed nothing: files, and folders after the files in them.
using Remains = std::vector<fs::path>;

Status refused(const RunFolder& run, const std::string& what) {
  return {ExitCode::cannot_write, run.path.string() + " " + what + ": choose another --out"};
}

Status holds_other(const RunFolder& run, const fs::path& file) {
  return refused(run, "holds " + file.lexically_relative(run.path).string() + ", which `rota train` did not write");
}

Status holds_run(const RunFolder& run) {
  return {ExitCode::cannot_write,
          run.path.string() + " holds another run: choose another --out, or `rota resume " + run.path.string() + "`"};
}

std::string marker_text(bool keeps_input) {
  nlohmann::ordered_json marker;
  marker["what"] = kMarkerText;
  marker["input"] = keeps_input;  // the file of that name is a copy of stdin
  return seal(marker, kMarkerFormat);
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error));
}

// What is directly inside; a folder that cannot be read counts as not empty.
Result<std::vector<fs::path>> inside(const RunFolder& run, const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    paths.push_back(at->path());
  if (error) return refused(run, "cannot be read: " + error.message());
  std::ranges::sort(paths);
  return paths;
}

// The files of a folder of Rota's, if all of them have a name that Rota gives.
template <typename IsOurs>
Status take_folder(const RunFolder& run, const fs::path& folder, IsOurs&& is_ours, Remains& remains) {
  ROTA_ASSIGN(auto paths, inside(run, folder));
  for (const fs::path& path : paths) {
    if (!is_file(path) || !is_ours(path.filename().string())) return holds_other(run, path);
    remains.push_back(path);
  }
  remains.push_back(folder);
  return {};
}

Status take(const RunFolder& run, const fs::path& path, bool keeps_input, Remains& remains) {
  std::error_code error;
  const bool is_folder = fs::is_directory(fs::symlink_status(path, error));
  if (is_folder && path == run.log()) return take_folder(run, path, RunFolder::is_of_log, remains);
  if (is_folder && path == run.keys()) return take_folder(run, path, RunFolder::is_of_keys, remains);
  if (is_folder && path == run.checkpoint()) {
    if (!run.epochs().empty()) return holds_run(run);
    // A coordinator that was started by hand may run without a `rota`.
    ROTA_TRY(lock_run(run).status());
    const auto is_ours = [&](const std::string& name) {
      return path / name == run.lock() || path / finished_name(name) == run.era();
    };
    return take_folder(run, path, is_ours, remains);
  }
  if (path == run.result() || path == run.model()) return holds_run(run);
  if (path == run.metrics() && is_file(path) && fs::file_size(path, error) > 0) return holds_run(run);
  // The file, or what a crash left of writing it.
  const fs::path file = path.parent_path() / finished_name(path.filename().string());
  const bool ours = std::ranges::count(run.records(), file) > 0;
  const bool kept = file != run.input() || (path == file && keeps_input);
  if (!ours || !kept || !is_file(path)) return holds_other(run, path);
  remains.push_back(path);
  return {};
}

Result<Remains> remains_in(const RunFolder& run) {
  Remains remains;
  ROTA_ASSIGN(auto paths, inside(run, run.path));
  if (paths.empty()) return remains;
  const auto text = is_file(run.marker()) ? read_whole_file(run.marker(), kMarkerBytesMax)
                                          : Result<std::string>(Status(ExitCode::no_input, "none"));
  const auto marker = text.ok() ? unseal(*text, kMarkerFormat) : Result<nlohmann::json>(text.status());
  if (!marker.ok() || marker->value("what", "") != kMarkerText) {
    std::error_code error;
    if (fs::exists(run.flags(), error) && (fs::exists(run.checkpoint(), error) || fs::exists(run.events(), error)))
      return holds_run(run);
    return refused(run, "contains files not created by Rota");
  }
  const bool keeps_input = marker->value("input", false);
  for (const fs::path& path : paths)
    if (path != run.marker() || !is_file(path)) ROTA_TRY(take(run, path, keeps_input, remains));
  return remains;
}

// Refuses if something named is the same file or folder as one that would go, by whatever path or link.
Status check_named(const RunFolder& run, Remains remains, std::vector<NamedPath> named) {
  if (remains.empty()) return {};
  for (const char* stream : {"stdin", "stdout", "stderr"}) named.push_back({stream, std::string("/dev/") + stream});
  remains.insert(remains.end(), {run.path, run.marker()});
  std::error_code ignored;
  for (const NamedPath& one : named)
    for (const fs::path& path : remains)
      if (fs::equivalent(one.path, path, ignored))
        return refused(run, "holds the remains of a run, and " + one.by + " names " + path.string());
  return {};
}

}  // namespace

Result<FileDescriptor> fresh_folder(const RunFolder& run, const std::vector<NamedPath>& named, bool keeps_input) {
  std::error_code error;
  if (!fs::exists(run.path, error)) ROTA_TRY(make_folder(run.path));
  ROTA_ASSIGN(auto claim, claim_folder(run.path));
  ROTA_ASSIGN(const auto remains, remains_in(run));
  ROTA_TRY(check_named(run, remains, named));
  // One by one: what came in the meantime stays.  The marker stays too, so that a crash here leaves Rota's own folder.
  for (const fs::path& path : remains)
    if (!fs::remove(path, error) && error)
      return Status(ExitCode::cannot_write, "cannot remove " + path.string() + ": " + error.message());
  ROTA_TRY(write_atomically(run.marker(), marker_text(keeps_input)));
  ROTA_TRY(make_folder(run.log()));
  return claim;
}

}  // namespace rota
