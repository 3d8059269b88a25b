// coordinator/run_preparation.h -- the job from WELCOME until all processes are READY: what the workers found in the
// data, how the scheduler divides the model, and which processes are ready.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "coordinator/plan.h"
#include "core/base/status.h"
#include "core/records/records.h"
#include "core/rounds/shard_hosts.h"
#include "core/runtime/node.h"
#include "core/wire/message.h"

namespace rota {

// What the workers found in the data: put together, and compared.
class Loading {
 public:
  // Both outlive this.
  Loading(const RunPlan& plan, const ShardHosts& hosts) : plan_(plan), hosts_(hosts) {}

  // False if the worker hosts nothing, or something else, or has reported before.
  bool add(std::uint32_t worker, const Loaded& loaded) {
    const auto shards = hosts_.of(worker);
    return loaded.items.size() == shards.size() && shards.size() > 0 && loaded_.emplace(shards.first, loaded).second;
  }
  // The reports are not needed any more.
  void clear() { loaded_.clear(); }
  bool complete() const { return loaded_.size() == hosts_.size(); }

  // The rest REQUIRES complete().

  // Whether all workers read the same, and what the checkpoint was made with: else ExitCode::bad_data.  And whether
  // the data is enough for the number of shards: else usage.
  Status check() const;
  std::uint64_t items() const;  // of all shards
  // What the whole job's data is: facts, merged in the order of the shards, and the census.  An error if two shards
  // report the same fact in different ways, or it is not finite, which is the plugin's fault.
  Result<JobFacts> facts() const;
  // What is the same in all of them: units, terms, tables, hashes of the data.
  const Loaded& common() const { return loaded_.begin()->second; }

 private:
  Status check_shards() const;

  const RunPlan& plan_;
  const ShardHosts& hosts_;
  std::map<ShardId, Loaded> loaded_;  // by the first shard of its worker
};

// What the rounds and their evaluation need to know of the app and its data.
struct JobDescription {
  CommitRecord found;  // what every checkpoint says: app, facts, items, hashes of the data
  Loaded loaded;       // what is the same for all workers
  std::vector<Table> tables;
  bool may_end_job = false;  // the schedule may end the job with any epoch, so none begins before it has decided
};

class RunPreparation {
 public:
  // All outlive this.  The cut decides the plan's number of slices.  `phase`: that of the run.
  RunPreparation(RunPlan& plan, Recorder& recorder, const ShardHosts& hosts, Phase& phase)
      : plan_(plan), recorder_(recorder), hosts_(hosts), phase_(phase), loading_(plan, hosts) {}

  // The job that the workers wait for.
  void begin() { enter(phase_, Phase::loading, recorder_); }
  // Messages.  An error ends the job with it.
  Status on(const Loaded& loaded, NodeId from, Outbox& out);
  Status on(const CutMade& cut, NodeId from, Outbox& out);
  Status on(const Ready& ready, NodeId from, Outbox& out);
  // All are READY.
  bool complete() const { return ready_.size() == hosts_.size() + plan_.partitions; }
  const JobDescription& description() const { return description_; }

 private:
  Status check_and_take(const Loaded& loaded);
  void warn(const std::vector<IgnoredOption>& ignored);

  RunPlan& plan_;
  Recorder& recorder_;
  const ShardHosts& hosts_;
  Phase& phase_;
  Loading loading_;
  std::set<NodeId> ready_;
  JobDescription description_;
};

}  // namespace rota
