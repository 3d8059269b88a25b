// core/job/run_folder.h -- where things are in the folder of a run (--out): the one place for these names, which are
// part of the user's contract.
#pragma once
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace rota {

struct RunFolder {
  std::filesystem::path path;

  // Rota wrote what is in this folder under the names below: `rota train` may clear it.  Made by `rota train` alone.
  std::filesystem::path marker() const { return path / "rota-run.json"; }
  std::filesystem::path flags() const { return path / "flags.txt"; }        // the job's options, for --flagfile
  std::filesystem::path address() const { return path / "address"; }        // of the coordinator, while it runs
  std::optional<std::string> read_address() const;                          // nothing if it is not there
  std::filesystem::path metrics() const { return path / "metrics.jsonl"; }  // an object for each evaluation
  std::filesystem::path events() const { return path / "events.jsonl"; }    // joins, losses, recoveries
  std::filesystem::path result() const { return path / "result.json"; }     // there once the run is done
  std::filesystem::path input() const { return path / "input"; }            // a copy, if the input was stdin
  // All of these, and place().
  std::vector<std::filesystem::path> records() const {
    return {marker(), flags(), address(), metrics(), events(), result(), input(), place()};
  }
  std::filesystem::path model() const { return path / "model"; }
  std::filesystem::path checkpoint() const { return path / "checkpoint"; }
  std::filesystem::path lock() const { return checkpoint() / "lock"; }  // held by the coordinator
  std::filesystem::path era() const { return checkpoint() / "era"; }    // of its newest start
  // Of one committed epoch, by a name that sorts: what it is made of, and the record that makes it count.
  std::filesystem::path checkpoint(std::uint32_t epoch) const {
    const std::string digits = std::to_string(epoch);
    return checkpoint() / ("epoch-" + std::string(digits.size() < 8 ? 8 - digits.size() : 0, '0') + digits);
  }
  // Those of all epochs that have one, the newest first.
  std::vector<std::filesystem::path> epochs() const {
    std::vector<std::filesystem::path> folders;
    std::error_code error;
    for (std::filesystem::directory_iterator at(checkpoint(), error), end; !error && at != end; at.increment(error))
      if (at->path().filename().string().starts_with("epoch-")) folders.push_back(at->path());
    std::sort(folders.rbegin(), folders.rend());
    return folders;
  }
  static constexpr const char* kCommitRecord = "commit.json";
  static constexpr const char* kModelManifest = "manifest.json";
  static std::string partition_file(std::uint32_t partition) {  // of a model
    return "partition-" + std::to_string(partition) + ".sst";
  }
  // Of a checkpoint.  With the coordinator's era in it, because a process of an earlier start that still lives must
  // never write over a file that a later one committed.
  static std::string partition_file(std::uint32_t partition, std::uint64_t era) {
    return "partition-" + std::to_string(partition) + ".era-" + std::to_string(era) + ".sst";
  }
  // The era in such a name; 0 if there is none.
  static std::uint64_t era_of(std::string_view name);
  // Whether a commit record of that epoch may name this file, within checkpoint(), for that partition.
  static bool is_partition_of(std::string_view file, std::uint32_t epoch, std::uint32_t partition);
  // Whether a name is that of a file which Rota writes into the folder of an epoch, or leaves there unfinished.
  static bool is_of_epoch(std::string_view name);
  // What the launcher wrote here last, by which agents see whether their machine has this folder too.
  std::filesystem::path place() const { return path / "place"; }
  // The run's folder on a machine that does not see this one; `run` identifies the run.
  std::filesystem::path own(std::string_view run) const { return path / ("own-" + std::string(run)); }
  std::filesystem::path keys() const { return path / "keys"; }  // of a run over tcp that was given none
  static bool is_of_keys(std::string_view name);
  std::filesystem::path log() const { return path / "log"; }
  // `process` is a role and its number: "worker-0".
  std::filesystem::path log(std::string_view process) const { return log() / (std::string(process) + ".log"); }
  // Which hooks it is in (core/job/hook_trace.h), while it runs and after it crashed.
  std::filesystem::path hook_trace(std::string_view process) const { return log() / (std::string(process) + ".doing"); }
  // Its name when the process is restarted: that of the start before.
  static std::filesystem::path before(const std::filesystem::path& trace) { return trace.string() + ".before"; }
  // Whether a name is that of a file which Rota writes into the folder of logs.
  static bool is_of_log(std::string_view name);
};

}  // namespace rota
