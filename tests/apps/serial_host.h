// tests/apps/serial_host.h -- runs a plugin in one process and one thread, in the simplest way that is right.
//
// What the framework does over processes must give what this does.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rota/plugin.h"

namespace rota::tests {

// A job with the plugin's default options, but for those given here; of the framework's, "schedulers" (1), "pipeline"
// (0: as the schedule says) and "staleness" (0).
Job make_job(const Plugin& plugin, std::map<std::string, std::string> given, std::vector<std::string> input);

class SerialHost {
 public:
  // Everything that a run would find in a checkpoint at an epoch's end.
  struct Snapshot {
    Epoch epochs = 0;
    RoundId rounds = 0;
    bool done = false;
    std::vector<std::vector<std::byte>> slices, shards, schedules;
    std::vector<std::byte> pull;
    std::map<std::pair<TableId, Key>, std::vector<double>> rows;

    friend bool operator==(const Snapshot&, const Snapshot&) = default;
  };

  // Loads the data and cuts the sliced table.
  SerialHost(const Plugin& plugin, Job job);

  // Nothing if the job is done.
  void run_epoch();
  // At most `count`; ends where the job does.
  void run_epochs(int count) {
    for (int i = 0; i < count && !done_; ++i) run_epoch();
  }
  // The schedule has ended the job.
  bool done() const { return done_; }
  // Limits the visits to slices; see rota::Budget.  The default has no limit.
  void set_budget(Budget budget) { budget_ = budget; }

  std::vector<double> evaluate() const;
  std::uint64_t items() const;
  // Of the last epoch, of all schedulers.
  const std::vector<Figure>& figures() const { return figures_; }
  // The figure of that name summed over the schedulers; 0 if there is none.
  double figure(const std::string& name) const;
  Snapshot save() const;
  // Into a host of the same job.  Throws std::runtime_error if a part is refused.
  void restore(const Snapshot& snapshot);

  const Job& job() const { return job_; }
  const App& app() const { return *app_; }
  const Facts& facts() const { return facts_; }
  const Cut& cut() const { return cut_; }
  Epoch epochs() const { return epochs_; }
  RoundId rounds() const { return rounds_; }
  std::vector<double> row(TableId table, Key key) const;
  const std::map<std::pair<TableId, Key>, std::vector<double>>& rows() const { return rows_; }
  Push& shard(ShardId s) { return *shards_[s]; }
  Slice& slice(SliceId b) { return *slices_[b]; }
  // Called with every round that is chosen, and the number of the scheduler that chose it.
  void watch(std::function<void(const Round&, std::uint32_t)> watcher) { watcher_ = std::move(watcher); }

 private:
  // A committed round on its way to the shards and to the scheduler that chose it.
  struct Committed {
    RoundId round;
    std::uint32_t scheduler;
    TableId table;
    std::vector<Key> keys;
    std::vector<std::vector<double>> values, changes;
    std::vector<double> argument;
    Bytes reply;
  };
  struct Scheduler {
    std::unique_ptr<Schedule> schedule;
    Random random{{1, 0, 0, 0}};
    std::uint64_t pipeline = 0;
    // Of the epoch's shared rounds: how many were chosen, and how many of those were fed back.
    std::uint64_t chosen = 0, fed_back = 0;
    std::deque<std::shared_ptr<const Committed>> committed;  // and not fed back
    bool ended = false;                                      // its epoch
  };
  using RowMap = std::map<std::pair<TableId, Key>, std::vector<double>>;

  void begin_epoch();
  Round choose(std::uint32_t scheduler);
  void run_owned(const Round& round);
  void run_shared(const Round& round, std::uint32_t scheduler);
  // What one shard makes of a round, added to what the shards before it made.
  Bytes push_shared(ShardId s, const Round& round, std::vector<std::vector<double>>& sums,
                    std::map<Key, std::vector<double>>& open_sums);
  void commit(const Round& round, std::uint32_t scheduler, const std::vector<Key>& keys,
              const std::vector<std::vector<double>>& sums, const std::vector<Bytes>& notes);
  void make_views();
  void put_into_view(TableId table, Key key, std::span<const double> value);
  void refresh(std::uint64_t upto);
  void feed_back(Scheduler& scheduler, std::uint64_t upto);
  void end_epoch();

  const Plugin& plugin_;
  Job job_;
  std::uint64_t staleness_ = 0;
  std::unique_ptr<App> app_;
  Facts facts_;
  std::vector<Table> tables_;
  std::vector<Scheduler> schedulers_;
  std::unique_ptr<Pull> pull_;
  std::vector<std::unique_ptr<Push>> shards_;
  Cut cut_;
  std::vector<std::uint32_t> visits_;  // to each slice, in this epoch
  std::vector<std::unique_ptr<Slice>> slices_;
  RowMap rows_;  // the committed ones
  RowMap seen_;  // the same as of the commits that the shards were given
  // And of dense tables, by table.
  std::vector<std::vector<double>> view_numbers_;
  std::vector<std::uint64_t> view_versions_;
  std::vector<TableView> views_;
  std::deque<std::shared_ptr<const Committed>> to_refresh_;
  std::uint64_t pushed_ = 0, refreshed_ = 0;  // shared rounds of the epoch
  std::vector<Figure> figures_;
  std::function<void(const Round&, std::uint32_t)> watcher_;
  Budget budget_;
  Epoch epochs_ = 0;    // finished ones: the number of the next
  RoundId rounds_ = 0;  // finished ones
  bool done_ = false;
};

// What commands and exports read.  The host must outlive it and stay at an epoch's end.
class SerialModel final : public Model {
 public:
  explicit SerialModel(const SerialHost& host) : host_(host), snapshot_(host.save()) {}

  const Job& job() const override { return host_.job(); }
  const Facts& facts() const override { return host_.facts(); }
  const Cut& cut() const override { return host_.cut(); }
  Epoch epoch() const override { return host_.epochs() - 1; }
  std::vector<double> row(TableId table, Key key) const override { return host_.row(table, key); }
  void for_each_row(TableId table, const std::function<void(Key, std::span<const double>)>& f) const override {
    for (const auto& [name, value] : host_.rows())
      if (name.first == table) f(name.second, value);
  }
  Bytes slice(SliceId b) const override { return Bytes::from(snapshot_.slices.at(b)); }
  Bytes shard(ShardId s) const override { return Bytes::from(snapshot_.shards.at(s)); }
  Bytes common() const override {
    Writer out;
    host_.app().save_common(out);
    return Bytes::from(out.take());
  }

 private:
  const SerialHost& host_;
  SerialHost::Snapshot snapshot_;
};

}  // namespace rota::tests
