// core/records/records.h -- what the coordinator reports: plain values, and the interface that records them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/hash.h"
#include "core/base/status.h"
#include "core/job/hook_trace.h"
#include "rota/facts.h"
#include "rota/types.h"

namespace rota {

struct WorkerTimes {
  double compute_seconds = 0;  // summed over threads
  double wire_seconds = 0;
  double wait_seconds = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t memory = 0, peak_memory = 0;  // resident bytes
};

// Of all evaluations so far, the epoch with the best score of held-out data (--patience).
struct BestSoFar {
  Epoch epoch = 0;
  double valid = 0;
  std::uint32_t since = 0;  // evaluations since then
  friend bool operator==(const BestSoFar&, const BestSoFar&) = default;
};

struct EpochRecord {
  Epoch epoch = 0;
  Epoch epochs = 0;    // of the whole job; 0: not known yet
  double seconds = 0;  // of training so far: without loading, evaluation and the taking of checkpoints
  bool evaluated = false;
  double objective = 0;
  std::optional<double> per_item;                       // of an objective that grows with the data
  std::optional<double> valid;                          // score of held-out data
  std::optional<BestSoFar> best;                        // with --patience
  std::vector<std::pair<std::string, double>> terms;    // and scores
  std::vector<std::pair<std::string, double>> figures;  // of the schedule
  std::optional<bool> converged;                        // if the schedule reports it
  std::uint64_t items = 0;
  std::string items_unit;
  double items_per_second = 0;       // in this epoch
  std::uint64_t bytes_sent = 0;      // in this epoch, all workers
  std::uint64_t slice_bytes = 0;     // of them, leased rows
  std::uint64_t exchange_bytes = 0;  // that shards sent to each other in exchanges, within a process too
  std::vector<WorkerTimes> workers;
  std::string slowest;       // the worker that computed longest a thread
  double waiting_share = 0;  // of the slowest worker's time
};

// A committed epoch: written after all its files are durable, so all files that it names exist.
struct CommitRecord {
  Epoch epoch = 0;
  RoundId next_round = 1;
  double seconds = 0;
  std::uint64_t items = 0;
  bool ends_job = false;  // the schedule has ended the job: no epoch follows
  std::string app;        // the plugin's own name
  Hash128 job;            // of the options that make the model
  Hash128 input, valid;   // of the contents of the data
  // The data's objects at URLs, each in the version that was read; none if there are too many.
  std::vector<HashedFile> objects;
  std::vector<Fact> facts;  // of the data
  Hash128 model_hash;       // slices and shared rows
  Hash128 state_hash;       // shards and schedules
  EpochRecord record;       // of the epoch itself, for the result of a run that is resumed with nothing left to do
  std::vector<HashedFile> files;  // by partition
};

struct RunResult {
  EpochRecord record;                                              // of the committed epoch
  CommitRecord commit;                                             // the last, or with --patience the best
  Epoch epochs = 0;                                                // that were trained
  double seconds = 0;                                              // in all of them
  std::vector<std::pair<std::string, std::uint64_t>> peak_memory;  // bytes by process
};

// Where the records go.  The coordinator's thread calls event() and epoch(); commit() and finish() run as work, on
// the thread for files.
class Recorder {
 public:
  // A number is a number in events.jsonl too.
  using Value = std::variant<std::string, std::uint64_t, double>;
  using Fields = std::vector<std::pair<std::string, Value>>;

  virtual ~Recorder() = default;
  virtual void event(const std::string& name, const Fields& fields) = 0;
  virtual void epoch(const EpochRecord& record) = 0;
  // How the run goes, as one JSON object; `missing` names the processes that have not joined, and `next_worker` is the
  // number of one that could.
  virtual std::string status(const std::string& missing, std::uint32_t next_worker) const = 0;
  // Makes the commit record durable, and drops committed epochs that are no longer needed.
  virtual Status commit(const CommitRecord& record) = 0;
  // The run resumes after this committed epoch, or from its beginning: later epochs will be recorded again.  On the
  // thread for files, while nothing else is recorded.
  virtual Status roll_back(std::optional<Epoch> after) = 0;
  // Of a process that is gone (core/job/hook_trace.h).  On the coordinator's thread, rarely.
  virtual std::optional<CrashInfo> crash_info(const std::string& /*process*/, std::uint64_t /*pid*/) { return {}; }
  // Publishes the committed model and the result of the run.
  virtual Status finish(const RunResult& result) = 0;
};

// As the log has it.
std::string text_of(const Recorder::Value& value);

}  // namespace rota
