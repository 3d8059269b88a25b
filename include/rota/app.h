// rota/app.h -- an app in one process of a job: it makes the objects of the three steps.
#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "rota/dataflow.h"
#include "rota/facts.h"
#include "rota/job.h"
#include "rota/packed.h"
#include "rota/pull.h"
#include "rota/push.h"
#include "rota/random.h"
#include "rota/schedule.h"
#include "rota/schedules/sweep.h"
#include "rota/slices.h"
#include "rota/types.h"

namespace rota {

// One object in each process of the job, made from the Job (Plugin::app), so that options are parsed once.  What all
// shards of a process share belongs here.  load() is called once, in a worker, before any other hook of that process
// that needs facts; all others may be called from several threads at once.
class App {
 public:
  virtual ~App() = default;

  // Reads the input and makes the Push of every shard hosted here, in the order given.  Which data is a shard's own
  // must depend on the job alone; `common` gives all processes the same numbers.
  virtual std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random& common) = 0;
  // Reads the whole input once, as load() of all shards does, and writes what load() finds in Job::packed.  Only if the
  // plugin has a packed_format.  May depend on the files, Job::shards and Plugin::packed_options only, so that its
  // output serves jobs with any other options.
  virtual void pack(DataPacker&) {}
  // After load(): properties of the data that load() found, the same in every process.  They are told once a job, in
  // addition to those of the shards (Push::facts).
  virtual void facts(Facts&) const {}
  // The tables of the model.  All processes have the same facts and must make the same tables from them.
  virtual std::vector<Table> tables(const Facts&) const = 0;
  // The dataflows of exchange rounds.  All processes must make the same ones.
  virtual std::vector<Dataflow> dataflows(const Facts&) const { return {}; }
  // The terms that an evaluation sums, and the scores computed from them.
  virtual std::vector<Term> terms() const { return {}; }
  virtual std::vector<Score> scores() const { return {}; }
  // Whether in an evaluation every shard visits every slice (Push::evaluate_visit).  It costs one more pass of the
  // slices through all shards.
  virtual bool evaluating_pass() const { return false; }

  // The default: every epoch is one open round of the app's only dense table, until stop() is reached.
  virtual std::unique_ptr<Schedule> schedule(const Facts& facts, Share) const {
    return std::make_unique<OpenSchedule>(only_dense_table(tables(facts)), Argument(), stop());
  }
  // When that schedule ends the job before its last epoch.
  virtual StopBelow stop() const { return {}; }
  // The default combines the parts with the rows as Table::combine says: value += sum, for most tables.
  virtual std::unique_ptr<Pull> pull(const Facts& facts) const { return std::make_unique<TablesPull>(tables(facts)); }
  // An empty slice with room for these keys; only if the plugin is `sliced`.
  virtual std::unique_ptr<Slice> slice(std::span<const Key>) const { return nullptr; }
  // In a new job: the starting values of a slice just made, before its first visit.
  virtual void start(const Facts&, SliceId, Slice&, std::span<const Key>, Random&) const {}
  // In a new job: the starting values of a row of a table that is `started`; `row` is zeros.  Every process calls it
  // for its own copy of the row, with the same Random.
  virtual void start_row(const Facts&, TableId, Key, std::span<double> /*row*/, Random&) const {}

  // What is the same in all shards and commands need from a model (the names of words, of columns): saved once a job,
  // by the worker of its first shard.  It is not restored: load() finds it again.
  virtual void save_common(Writer&) const {}

 private:
  static TableId only_dense_table(const std::vector<Table>& tables) {
    const auto dense = [](const Table& table) { return table.dense; };
    if (std::count_if(tables.begin(), tables.end(), dense) != 1)
      throw std::logic_error("an app without exactly one dense table has to write App::schedule");
    return static_cast<TableId>(std::find_if(tables.begin(), tables.end(), dense) - tables.begin());
  }
};

}  // namespace rota
