// rota/testing/serial_host.h -- a job in one process and one thread: to test an app, and to debug it.
//
// Link rota::serial_host and the app's own sources into a test program, which gdb can then run on its own:
//
//   const rota::Plugin& app = rota::linked_plugin();
//   rota::SerialHost host(app, rota::serial_job(app, {{"shards", "4"}, {"rank", "2"}}, {"ratings.txt"}));
//   host.run();
//   const rota::SerialModel model(host);
//
// It does what `rota train` does with the same options, in the simplest correct order, and the model is the same, bit
// for bit: model_hash() is that of result.json.  A push sees exactly the commits that --staleness allows, a schedule
// the feedback that its pipeline allows; parts and evaluations are summed over the same trees; each partition of the
// store has its own Pull; the Randoms are the same.  It writes nothing, ignores time limits, --asynchronous and
// --patience, and uses only the data that it is given.  A hook's exception leaves it unchanged.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rota/exchange/exchange_push.h"
#include "rota/plugin.h"
#include "rota/testing/committed_rows.h"

extern "C" __attribute__((visibility("default"))) const rota::Plugin* rota_plugin_v1();

namespace rota {

// The plugin whose sources are linked into this program.
inline const Plugin& linked_plugin() {
  return *rota_plugin_v1();
}

// The job that `rota train` would make of these options, the framework's and the app's, by name without the dashes.
// Throws UsageError for an unknown option, or a value that its declaration forbids.
Job serial_job(const Plugin& plugin, const std::map<std::string, std::string>& given, std::vector<std::string> input,
               std::vector<std::string> valid = {});

class SparseRows;

class SerialHost {
 public:
  // The contents of a checkpoint at the end of an epoch.
  struct Snapshot {
    Epoch epochs = 0;
    RoundId rounds = 0;
    bool done = false;
    std::vector<std::vector<std::byte>> slices, shards, schedules;
    std::vector<std::vector<std::byte>> pulls;  // by partition
    CommittedRows rows;

    friend bool operator==(const Snapshot&, const Snapshot&) = default;
  };

  // Called before hooks that may take long, with the hook's name and the round, 0 without one.  What it throws ends the
  // call of the host's function; the host is of no more use then.
  using Tracer = std::function<void(const char* hook, RoundId round)>;

  // Makes the app, loads the data, cuts the sliced table, puts the starting values in.  The plugin outlives it.
  SerialHost(const Plugin& plugin, Job job, Tracer tracer = {});
  SerialHost(const SerialHost&) = delete;
  SerialHost& operator=(const SerialHost&) = delete;

  // Runs to the end of the job: the epochs of --epochs or the plugin's default, or until the schedule ends it.
  void run();
  // One more epoch, regardless of --epochs; nothing if the schedule has ended the job.
  void run_epoch();
  // At most `count` of them.
  void run_epochs(int count) {
    for (int i = 0; i < count && !done_; ++i) run_epoch();
  }
  // The schedule has ended the job.
  bool done() const { return done_; }
  // Limits the visits to slices; see rota::Budget.  The default has no limit.
  void set_budget(Budget budget) { budget_ = budget; }
  // Called with every round that is chosen, and the number of the scheduler that chose it.
  void watch(std::function<void(const Round&, std::uint32_t)> watcher) { watcher_ = std::move(watcher); }

  // At the end of an epoch: the sums of the app's terms, in their order.  Throws if one is not finite, or if one that
  // is conserved is not the number of items.
  std::vector<double> evaluate() const;
  // From an evaluation made now.  No value if there is none yet; throws std::out_of_range if the app has no such score.
  std::optional<double> score(const std::string& name) const;
  std::uint64_t items() const;
  // Of the last epoch, of all schedulers.
  const std::vector<Figure>& figures() const { return figures_; }
  // The figure of that name summed over the schedulers; 0 if there is none.
  double figure(const std::string& name) const;
  // The schedules' converged() after the last epoch: no value if none has a criterion.
  std::optional<bool> converged() const { return converged_; }

  Snapshot save() const;
  // Continues from there: makes all objects again and restores them, as `rota resume` does in new processes, so that
  // nothing remains but what was saved.  The snapshot is of a job with the same options and data.  Throws
  // std::runtime_error if a hook refuses its bytes.
  void restore(const Snapshot& snapshot);

  const Job& job() const { return job_; }
  const App& app() const { return *app_; }
  const Facts& facts() const { return facts_; }
  const Cut& cut() const { return cut_; }
  Epoch epochs() const { return epochs_; }    // the number of the next
  RoundId rounds() const { return rounds_; }  // finished ones
  // The committed value; zeros before the first commit.
  std::vector<double> row(TableId table, Key key) const;
  const CommittedRows& rows() const { return rows_; }
  Push& shard(ShardId s) { return *shards_[s]; }
  const Push& shard(ShardId s) const { return *shards_[s]; }
  Slice& slice(SliceId b) { return *slices_[b]; }
  const Slice& slice(SliceId b) const { return *slices_[b]; }
  // Frees the memory of one that is not used any more, while a finished job is stored piece by piece.
  void free_shard(ShardId s) { shards_[s].reset(); }
  void free_slice(SliceId b) { slices_[b].reset(); }
  // 32 hexadecimal digits, as in result.json.
  std::string model_hash() const;

 private:
  // A committed round that the shards and its scheduler have not all received.
  struct Committed {
    RoundId round = 0, own = 0;  // own: by the count of its scheduler
    TableId table = 0;
    std::vector<Key> keys;
    std::vector<double> values, changes;  // of the keys' rows; no changes if no hook needs them
    Argument argument;
    Bytes to_shards, to_schedule;  // pull's reply
    ChangeNorms norms;
  };
  struct Scheduler {
    std::unique_ptr<Schedule> schedule;
    Random random{{1, 0, 0, 0}};
    std::uint64_t pipeline = 0;
    RoundId next = 1;  // by its own count
    // Of the epoch's shared rounds: how many were chosen, and how many of those were fed back.
    std::uint64_t chosen = 0, fed_back = 0;
    std::deque<std::shared_ptr<const Committed>> committed;  // and not fed back
    bool ended = false;                                      // its epoch
  };
  // A round of an exchange whose last step was not gathered.
  struct Exchange {
    Round round;
    RoundId number = 0;
    std::vector<std::vector<Incoming>> messages;  // of its first step, by shard
  };
  static std::vector<Delta> deltas_of(const Committed& committed);
  // The sums of the shards' parts of a round.
  struct Summed {
    std::vector<Key> keys;
    std::vector<std::size_t> offsets;  // of each row's part in `sums`, and at the end their total
    std::vector<double> sums;
    std::shared_ptr<const SparseRows> open;  // of an open round, in place of the others
    std::vector<Bytes> notes;
  };
  // A partition's rows of a round.
  struct PartRows {
    std::vector<PullEntry> entries;
    std::vector<PullRun> runs;  // of an open round
  };

  void prepare(bool resumed);
  void trace(const char* hook, RoundId round = 0) const {
    if (tracer_) tracer_(hook, round);
  }
  void load();
  void make_views();
  void start();
  void begin_epoch();
  Round choose(std::uint32_t scheduler);
  void run_owned(const Round& round);
  void run_shared(const Round& round, std::uint32_t scheduler);
  Summed sum_of_shards(const Round& round);
  void run_exchange(const Round& round);
  std::vector<std::vector<Incoming>> scatter(const Exchange& exchange, std::uint32_t step);
  // All steps of the exchanges but the last `most`.
  void gather(std::size_t most);
  std::size_t exchanges_out(const Round& round) const;
  // One shard's parts and note.
  void push_shared(ShardId s, const Round& round, const std::vector<std::size_t>& offsets, std::vector<double>& parts,
                   const OpenParts& open_parts, Writer& note);
  void commit(const Round& round, std::uint32_t scheduler, const Summed& summed);
  std::map<std::uint32_t, PartRows> rows_of_parts(const Round& round, const Summed& summed);
  void pull(std::uint32_t partition, const Round& round, const Summed& summed, const PartRows& its, Committed& result);
  // A commit is seen before the next one is made: the shards see the committed rows themselves.
  bool sees_in_place() const { return job_.staleness == 0; }
  void see(TableId table, Key key, std::span<const double> value);
  void refresh(std::uint64_t upto);
  void feed_back(Scheduler& scheduler, std::uint64_t upto);
  void end_epoch();

  const Plugin& plugin_;
  Job job_;
  std::uint32_t partitions_ = 1;
  std::unique_ptr<App> app_;
  Facts facts_;
  std::vector<Table> tables_;
  std::vector<Scheduler> schedulers_;
  std::vector<std::unique_ptr<Pull>> pulls_;  // by partition
  std::vector<std::unique_ptr<Push>> shards_;
  Cut cut_;
  std::vector<std::uint32_t> visits_;  // to each slice, in this epoch
  std::vector<std::unique_ptr<Slice>> slices_;
  CommittedRows rows_;
  // The same, of the commits that the shards have received, without dense tables; empty if they see all.
  std::map<std::pair<TableId, Key>, std::vector<double>> seen_;
  // The same of dense tables, by table.
  std::vector<std::vector<double>> view_numbers_;
  std::vector<std::uint64_t> view_versions_;
  std::vector<TableView> views_;
  std::vector<Dataflow> dataflows_;
  std::deque<Exchange> exchanges_;
  std::deque<std::shared_ptr<const Committed>> to_refresh_;
  std::uint64_t pushed_ = 0, refreshed_ = 0;  // shared rounds of the epoch
  std::vector<Figure> figures_;
  std::optional<bool> converged_;
  std::function<void(const Round&, std::uint32_t)> watcher_;
  const Tracer tracer_;
  Budget budget_;
  Epoch epochs_ = 0;
  RoundId rounds_ = 0;
  bool done_ = false;
};

// The model as commands and exports read it, at the end of an epoch.  The host must outlive it and must not move.
class SerialModel final : public Model {
 public:
  explicit SerialModel(const SerialHost& host) : host_(host), snapshot_(host.save()) {}

  const Job& job() const override { return host_.job(); }
  const Facts& facts() const override { return host_.facts(); }
  const Cut& cut() const override { return host_.cut(); }
  Epoch epoch() const override { return host_.epochs() - 1; }
  std::vector<double> row(TableId table, Key key) const override { return host_.row(table, key); }
  void for_each_row(TableId table, const std::function<void(Key, std::span<const double>)>& f) const override {
    host_.rows().for_each([&](TableId t, Key key, std::span<const double> row) {
      if (t == table) f(key, row);
    });
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

}  // namespace rota
