// tests/apps/serial_host.h -- runs a plugin in one process and one thread, in the simplest way that is right.
//
// What the framework does over processes must give what this does.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rota/plugin.h"

namespace rota::tests {

// A job with the plugin's default options, but for those given here.
Job make_job(const Plugin& plugin, std::map<std::string, std::string> given, std::vector<std::string> input);

class SerialHost {
 public:
  // Everything that a run would find in a checkpoint at an epoch's end.
  struct Snapshot {
    Epoch epochs = 0;
    RoundId rounds = 0;
    std::vector<std::vector<std::byte>> slices, shards;
    std::vector<std::byte> schedule;
    std::map<std::pair<TableId, Key>, std::vector<double>> rows;

    friend bool operator==(const Snapshot&, const Snapshot&) = default;
  };

  // Loads the data and cuts the sliced table.
  SerialHost(const Plugin& plugin, Job job);

  void run_epoch();
  void run_epochs(int count) {
    for (int i = 0; i < count; ++i) run_epoch();
  }
  // Limits the visits to slices; see rota::Budget.  The default has no limit.
  void set_budget(Budget budget) { budget_ = budget; }

  std::vector<double> evaluate() const;
  std::uint64_t items() const;
  Snapshot save() const;
  // Into a host of the same job.  Throws std::runtime_error if a part is refused.
  void restore(const Snapshot& snapshot);

  const Job& job() const { return job_; }
  const Cut& cut() const { return cut_; }
  Epoch epochs() const { return epochs_; }
  std::vector<double> row(TableId table, Key key) const;
  Push& shard(ShardId s) { return *shards_[s]; }
  Slice& slice(SliceId b) { return *slices_[b]; }

 private:
  void run_owned(const Round& round);
  void run_shared(const Round& round);
  void commit(const Round& round, const std::vector<std::vector<double>>& sums);

  const Plugin& plugin_;
  Job job_;
  std::vector<Table> tables_;
  std::unique_ptr<Schedule> schedule_;
  std::unique_ptr<Pull> pull_;
  std::vector<std::unique_ptr<Push>> shards_;
  Cut cut_;
  std::vector<std::unique_ptr<Slice>> slices_;
  std::map<std::pair<TableId, Key>, std::vector<double>> rows_;  // the committed ones
  Budget budget_;
  Epoch epochs_ = 0;    // finished ones: the number of the next
  RoundId rounds_ = 0;  // finished ones
};

// What commands and exports read.  The host must outlive it and stay at an epoch's end.
class SerialModel final : public Model {
 public:
  explicit SerialModel(const SerialHost& host) : host_(host), snapshot_(host.save()) {}

  const Job& job() const override { return host_.job(); }
  const Cut& cut() const override { return host_.cut(); }
  Epoch epoch() const override { return host_.epochs() - 1; }
  std::vector<double> row(TableId table, Key key) const override { return host_.row(table, key); }
  Bytes slice(SliceId b) const override { return Bytes::from(snapshot_.slices.at(b)); }
  Bytes shard(ShardId s) const override { return Bytes::from(snapshot_.shards.at(s)); }

 private:
  const SerialHost& host_;
  SerialHost::Snapshot snapshot_;
};

}  // namespace rota::tests
