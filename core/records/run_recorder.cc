#include "core/records/run_recorder.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/base/failpoint.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/log.h"
#include "core/base/version.h"
#include "core/records/json_records.h"
#include "rota/utf8.h"

namespace rota {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kKeptEpochs = 2;

// Of an event's log line; all others are LOG_INFO.
void log_event(std::string_view name, bool failed, const std::string& line) {
  static const std::set<std::string_view> kWarnings = {
      "abandoned",        "ignored", "left",         "lost",
      "not_reproducible", "paused",  "refused",      "resume_without_checkpoint",
      "rollback",         "slow",    "unresponsive", "warning"};
  if (name == "fault" || failed) return log_error(line);
  kWarnings.contains(name) ? log_warning(line) : log_info(line);
}

// The newest checkpoint, for the log.
struct NewestCheckpoint {
  std::optional<Epoch> epoch;
  Nanoseconds at = 0;  // 0: before this start of the coordinator
};

// The log line of an epoch, with fixed names for grep.
std::string log_line(const EpochRecord& record, const NewestCheckpoint& checkpoint) {
  char text[2048];
  int used = 0;
  const auto add = [&](const char* format, auto... values) {
    const int room = static_cast<int>(sizeof text) - used;
    const int wanted = std::snprintf(text + used, static_cast<std::size_t>(room), format, values...);
    used += std::clamp(wanted, 0, room - 1);
  };
  add("event=epoch epoch=%u epochs=%u", record.epoch, record.epochs);
  if (record.evaluated) add(" objective=%.8e", record.objective);
  if (record.per_item) add(" per_item=%.6f", *record.per_item);
  if (record.valid) add(" valid=%.6f", *record.valid);
  if (record.best) add(" best=%.6f best_epoch=%u", record.best->valid, record.best->epoch);
  add(" seconds=%.3f items_per_second=%.4g bytes_sent=%" PRIu64, record.seconds, record.items_per_second,
      record.bytes_sent);
  if (record.items > 0)  // in this epoch, as the items per second
    add(" bytes_per_second=%.4g",
        static_cast<double>(record.bytes_sent) * record.items_per_second / static_cast<double>(record.items));
  double compute = 0, wire = 0, wait = 0;
  std::uint64_t memory = 0;
  for (const WorkerTimes& worker : record.workers) {
    compute += worker.compute_seconds, wire += worker.wire_seconds, wait += worker.wait_seconds;
    memory = std::max(memory, worker.memory);
  }
  if (const double all = compute + wire + wait; all > 0)
    add(" compute=%.3f wire=%.3f wait=%.3f", compute / all, wire / all, wait / all);
  if (memory > 0) add(" memory=%" PRIu64, memory);
  add(" workers=%zu slowest=%s waiting=%.3f", record.workers.size(), record.slowest.c_str(), record.waiting_share);
  if (checkpoint.epoch) add(" checkpoint_epoch=%u", *checkpoint.epoch);
  if (checkpoint.at > 0) add(" checkpoint_age_seconds=%.1f", seconds_of(now_ns() - checkpoint.at));
  for (const auto* numbers : {&record.terms, &record.figures})
    for (const auto& [name, value] : *numbers) add(" %s=%.8g", name.c_str(), value);
  if (record.converged) add(" converged=%s", *record.converged ? "true" : "false");
  return text;
}

// Removes an epoch's files, by their names, and its folder if nothing else is in it.
void drop_epoch(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(folder, error))) return;
  std::vector<fs::path> ours;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (RunFolder::is_of_epoch(at->path().filename().string())) ours.push_back(at->path());
  // The record goes first, so that half an epoch never counts; of a folder, remove() takes an empty one only.
  fs::remove(folder / RunFolder::kCommitRecord, error);
  failpoint("commit.dropping");
  for (const fs::path& file : ours) fs::remove(file, error);
  fs::remove(folder, error);
}

// Leaves the metrics of the epochs that count, those before the ones that will be computed again.
Status trim_metrics(const RunFolder& run, std::optional<Epoch> after) {
  return filter_lines(run.metrics(), [&](const std::string& line) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    const auto epoch = json.is_object() ? json.find("epoch") : json.end();
    if (epoch == json.end() || !epoch->is_number_unsigned()) return false;
    return after && epoch->get<std::uint64_t>() <= *after;
  });
}

class RunRecorder final : public Recorder {
 public:
  RunRecorder(const JobConfig& config, LineFile metrics, LineFile events, std::optional<Epoch> after,
              std::optional<Epoch> best)
      : config_(config), metrics_(std::move(metrics)), events_(std::move(events)) {
    if (after) kept_.emplace(*after, best);
    checkpoint_.epoch = after;
  }

  void event(const std::string& name, const Fields& fields) override {
    Json json = event_now(name);
    std::string line = "event=" + name;
    for (const auto& [field, value] : fields) {
      const auto* const text = std::get_if<std::string>(&value);
      if (text != nullptr)
        json[field] = visible_text(*text);
      else
        std::visit([&](const auto& number) { json[field] = number; }, value);
      line += " " + field + "=" + log_value(text_of(value));
    }
    if (name == "phase") phase_ = json["phase"];
    if (name == "metrics") metrics_address_ = json["address"];
    if (name == "checkpoint") checkpoint_ = {json["epoch"].get<Epoch>(), now_ns()};
    append(events_, json);
    log_event(name, name == "end" && json["exit"] != 0, line);
  }

  void epoch(const EpochRecord& record) override {
    newest_ = to_json(record);
    if (record.evaluated) append(metrics_, newest_);
    log_info(log_line(record, checkpoint_));
    Json json = event_now("epoch");
    json.update(newest_);
    append(events_, json);
  }

  std::string status(const std::string& missing, std::uint32_t next_worker) const override {
    Json json;
    json["app"] = visible_text(config_.app);
    json["version"] = kVersion;
    json["phase"] = phase_;
    if (!missing.empty()) json["missing"] = missing;
    json["next_worker"] = next_worker;
    json["out"] = exact_text(config_.run.path.native());
    // For a worker on a machine without the run's folder.
    json["flags"] = Json::object();
    for (const auto& [name, value] : config_.options.all()) json["flags"][name] = exact_text(value);
    if (!metrics_address_.empty()) json["metrics"] = metrics_address_;
    json["newest"] = newest_;
    return json_text(json);
  }

  Status commit(const CommitRecord& record) override {
    // A metrics file that cannot be written is no reason to lose the model.
    if (const Status kept = metrics_.sync(); !kept.ok() && !complained_.exchange(true))
      log_error("event=disk what=" + log_value(kept.what()));
    const auto folder = config_.run.checkpoint(record.epoch);
    ROTA_TRY(check_files(record));
    ROTA_TRY(write_atomically(folder / RunFolder::kCommitRecord, commit_to_text(record)));
    ROTA_TRY(sync_folder(config_.run.checkpoint()));
    failpoint("commit.recorded");
    const auto& best = record.record.best;
    kept_[record.epoch] = best ? std::optional(best->epoch) : std::nullopt;
    while (kept_.size() > kKeptEpochs) kept_.erase(kept_.begin());
    // One that is newer than what was just committed was refused when the run was resumed, and comes again.
    for (const auto& old : config_.run.epochs())
      if (old < folder && !is_needed(old)) drop_epoch(old);
    return {};
  }

  Status roll_back(std::optional<Epoch> after) override {
    ROTA_TRY(trim_metrics(config_.run, after));
    ROTA_ASSIGN(metrics_, LineFile::open(config_.run.metrics()));
    failpoint("rollback.trimmed");
    return {};
  }

  std::optional<CrashInfo> crash_info(const std::string& process, std::uint64_t pid) override {
    return rota::crash_info(config_.run.hook_trace(process), pid);
  }

  Status finish(const RunResult& result) override {
    ROTA_TRY(publish_model(result.commit));
    Json json;
    json["app"] = visible_text(result.commit.app);
    json["options"] = Json::object();
    for (const auto& [name, value] : config_.options.all()) json["options"][name] = visible_text(value);
    json["seed"] = config_.seed;
    json["epochs"] = result.epochs;
    json["seconds"] = result.seconds;
    if (result.record.best) json["best_epoch"] = result.commit.epoch;
    json["items"] = result.commit.items;
    const Json record = to_json(result.record);
    for (const char* field : {"objective", "per_item", "valid", "terms", "schedule", "converged"})
      if (record.contains(field)) json[field] = record[field];
    json["model_hash"] = result.commit.model_hash.hex();
    json["state_hash"] = result.commit.state_hash.hex();
    for (const auto& [process, bytes] : result.peak_memory) json["peak_memory_bytes"][process] = bytes;
    ROTA_TRY(write_atomically(config_.run.result(), json_text(json, 2) + "\n"));
    failpoint("result.written");
    return {};
  }

 private:
  // Its folder is that of an epoch that is kept, or of the best one that such an epoch's record names.
  bool is_needed(const std::filesystem::path& folder) const {
    return std::ranges::any_of(kept_, [&](const auto& kept) {
      const auto& [epoch, best] = kept;
      return config_.run.checkpoint(epoch) == folder || (best && config_.run.checkpoint(*best) == folder);
    });
  }

  // A process may have written into a folder of this name that is another machine's own.
  Status check_files(const CommitRecord& record) const {
    for (const HashedFile& file : record.files) {
      const auto path = config_.run.checkpoint() / file.file;
      std::error_code error;
      if (std::filesystem::file_size(path, error) == file.bytes && !error) continue;
      return {ExitCode::disk, path.string() +
                                  " is missing in the run folder; a process on a machine that does not see this "
                                  "folder needs --own_disk"};
    }
    return {};
  }

  // The committed files themselves, under another name; the manifest comes last and makes them a model.
  Status publish_model(const CommitRecord& record) {
    ROTA_TRY(make_folder(config_.run.model()));
    Json manifest = manifest_of(record, config_);
    for (std::size_t i = 0; i < record.files.size(); ++i) {
      const auto from = config_.run.checkpoint() / record.files[i].file;
      const std::string name = RunFolder::partition_file(static_cast<std::uint32_t>(i));
      const auto to = config_.run.model() / name;
      std::error_code error;
      std::filesystem::remove(to, error);
      std::filesystem::create_hard_link(from, to, error);
      if (error) ROTA_TRY(copy_durably(from, to));  // a file system without links
      manifest["files"][i]["file"] = name;
    }
    failpoint("model.linked");
    return write_atomically(config_.run.model() / RunFolder::kModelManifest, seal(manifest, kCommitFormat));
  }

  // A run continues without metrics if they cannot be written: the model is worth more.
  void append(LineFile& file, const Json& json) {
    const Status status = file.append(json_text(json));
    if (!status.ok() && !complained_.exchange(true)) log_error("event=disk what=" + log_value(status.what()));
  }

  static Json event_now(const std::string& name) { return {{"event", name}, {"time", seconds_of(wall_clock_ns())}}; }

  JobConfig config_;
  LineFile metrics_, events_;
  std::atomic<bool> complained_ = false;  // of the thread of files too
  // Committed epochs that are known to be whole, and the best epoch when each was committed (--patience).
  std::map<Epoch, std::optional<Epoch>> kept_;
  std::string phase_, metrics_address_;
  NewestCheckpoint checkpoint_;
  Json newest_;
};

}  // namespace

std::string text_of(const Recorder::Value& value) {
  if (const auto* const text = std::get_if<std::string>(&value)) return *text;
  char digits[32];
  if (const auto* const whole = std::get_if<std::uint64_t>(&value))
    std::snprintf(digits, sizeof digits, "%" PRIu64, *whole);
  else
    std::snprintf(digits, sizeof digits, "%.8g", std::get<double>(value));
  return digits;
}

Result<std::shared_ptr<Recorder>> open_run_recorder(const JobConfig& config, std::optional<Epoch> after,
                                                    std::optional<Epoch> best) {
  ROTA_TRY(make_folder(config.run.checkpoint()));
  ROTA_TRY(trim_metrics(config.run, after));
  ROTA_ASSIGN(auto metrics, LineFile::open(config.run.metrics()));
  ROTA_ASSIGN(auto events, LineFile::open(config.run.events()));
  ROTA_TRY(sync_folder(config.run.path));
  return std::shared_ptr<Recorder>(
      std::make_shared<RunRecorder>(config, std::move(metrics), std::move(events), after, best));
}

}  // namespace rota
