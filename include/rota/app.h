// rota/app.h -- an app in one process of a job: it makes the three steps' objects.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "rota/dataflow.h"
#include "rota/facts.h"
#include "rota/job.h"
#include "rota/packed.h"
#include "rota/pull.h"
#include "rota/push.h"
#include "rota/random.h"
#include "rota/schedule.h"
#include "rota/slices.h"
#include "rota/types.h"

namespace rota {

// One object in each process of the job, made from the Job (Plugin::app), so that options are parsed once.  What all
// shards of a process share belongs here.  load() is called once, in a worker, before anything of that process that
// needs facts; all else may be called from several threads at once.
class App {
 public:
  virtual ~App() = default;

  // Reads the input and makes the Push of every shard hosted here, in the order given.  Which data is a shard's own
  // must depend on the job alone; `common` gives all processes the same numbers.
  virtual std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random& common) = 0;
  // Reads the whole input once, as load() of all shards does, and writes what load() finds in Job::packed.  Only if the
  // plugin has a packed_format.  May depend on the files, on Job::shards and on Plugin::packed_options alone, so that
  // what it writes serves jobs with any other options.
  virtual void pack(DataPacker&) {}
  // What the model consists of.  All processes have the same facts, and must make the same tables of them.
  virtual std::vector<Table> tables(const Facts&) const = 0;
  // Along which exchange rounds send.  All processes must make the same ones.
  virtual std::vector<Dataflow> dataflows(const Facts&) const { return {}; }
  // What an evaluation adds up, and the numbers for people that are made of it.
  virtual std::vector<Term> terms() const { return {}; }
  virtual std::vector<Score> scores() const { return {}; }
  // Whether in an evaluation every shard visits every slice (Push::evaluate_visit).  It costs one more journey of the
  // slices.
  virtual bool evaluating_pass() const { return false; }

  virtual std::unique_ptr<Schedule> schedule(const Facts&, Share) const = 0;
  // Null if there are no shared tables.
  virtual std::unique_ptr<Pull> pull(const Facts&) const { return nullptr; }
  // An empty slice with room for these keys; only if the plugin is `sliced`.
  virtual std::unique_ptr<Slice> slice(std::span<const Key>) const { return nullptr; }
  // In a new job: the starting values of a slice just made, before anybody visits it.
  virtual void start(SliceId, Slice&, std::span<const Key>, Random&) const {}
  // In a new job: those of a row of a table that is `started`; `row` is zeros.  Every process calls it for its own copy
  // of the row, with the same Random.
  virtual void start_row(TableId, Key, std::span<double> /*row*/, Random&) const {}

  // What all shards know alike and commands want of a model (the names of words, of columns): saved once a job, by the
  // worker of its first shard.  It is not restored: load() finds it again.
  virtual void save_common(Writer&) const {}
};

}  // namespace rota
