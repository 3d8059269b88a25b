// coordinator/run_preparation.h -- the job from WELCOME until all processes are READY: what the workers found in the
// data, how the scheduler divides the model, and which processes are ready.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "coordinator/loading.h"
#include "coordinator/phase.h"
#include "coordinator/plan.h"
#include "core/records/records.h"
#include "core/runtime/node.h"

namespace rota {

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
  bool complete() const;
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
