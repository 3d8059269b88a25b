// coordinator/training.h -- the job from what is committed, or from nothing, until it ends: preparation, rounds, the
// ends of epochs, the result.  README.md has its phases.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/dispatch.h"
#include "coordinator/epoch_end.h"
#include "coordinator/membership.h"
#include "coordinator/plan.h"
#include "coordinator/run_preparation.h"
#include "core/records/records.h"
#include "core/runtime/node.h"
#include "core/wire/message.h"

namespace rota {

// Epochs that were given out and are not recorded: what workers and schedulers have reported of them.
class OpenEpochs {
 public:
  OpenEpochs(std::uint32_t workers, std::uint32_t schedulers) : workers_(workers), schedulers_(schedulers) {}

  // The first epoch of this start of the job.
  void begin(Epoch first) { next_ = first; }
  void given_out(Epoch epoch) { done_.try_emplace(epoch); }
  // The epoch is over for a scheduler.
  void add(std::uint32_t scheduler, const EpochFigures& figures);
  // Whether all schedulers say that an epoch is the last; none before all of them have ended it.
  std::optional<bool> ends_job(Epoch epoch) const;
  // And for a worker.  False if no round of it is out, or if this worker has reported it before.
  bool add(std::uint32_t worker, const EpochDone& done);

  // The earliest that is not recorded, and whether it is over for all.
  Epoch next() const { return next_; }
  bool next_is_over() const;
  struct Over {
    EpochRecord record;     // times and figures
    bool ends_job = false;  // all schedulers say that it is the last
  };
  // Continues with the epoch after it.  REQUIRES next_is_over().
  Over take();

 private:
  struct Scheduled {
    std::uint32_t schedulers = 0;  // for which it is over
    std::vector<std::pair<std::string, double>> figures;
    std::optional<bool> converged, ends_job;
  };

  std::uint32_t workers_, schedulers_;
  Epoch next_ = 0;
  std::map<Epoch, std::map<std::uint32_t, EpochDone>> done_;  // by worker
  std::map<Epoch, Scheduled> scheduled_;
};

class Training {
 public:
  // How it ends.  Called at most once, during a step.
  using End = std::function<void(ExitCode code, const std::string& what, Outbox& out)>;
  // All is saved in last_checkpoint(), as hold() asked for.  Called at most once, during a step.
  using Held = std::function<void(Outbox& out)>;

  // Continues after `plan.resume`, if there is one.  `members` outlives this, in the same era.
  Training(RunPlan plan, std::shared_ptr<Recorder> recorder, Membership& members, End end, Held held);

  // Welcomes all members.  All that are expected have joined.
  void begin(Outbox& out) {
    out.send(members_.roster().members(), members_.welcome());
    preparation_.begin();
  }
  // A message that is not of membership.  An error ends the job with it.
  Status step(const Envelope& in, Outbox& out);
  // The epoch that is being computed is to be the last.  REQUIRES trains().
  void stop(const Ending& why) {
    if (phase_ == Phase::training) epoch_end_.stop(why);
  }
  // At the end of the epoch that is being computed, or soon after, all is saved and nothing more given out, so that
  // shards can move; unless it is the last.  REQUIRES trains().
  void hold() {
    if (phase_ == Phase::training) epoch_end_.hold();
  }

  void tick(Nanoseconds now) { epoch_end_.report_long_evaluation(now); }

  // All are prepared.
  bool trains() const { return phase_ >= Phase::training; }
  // All epochs are committed: the members are not needed any more.
  bool finishing() const { return phase_ == Phase::finishing; }
  // A signal asked for the end: how the job ends if it ends now.
  std::optional<Ending> stopped() const { return epoch_end_.stopped(); }

  // No message counts any more: a process was lost, and another Training continues after last_checkpoint().
  void set_aside() {
    phase_ = Phase::ended;
    epoch_end_.checkpoints().set_aside();
  }
  const EpochRecord& newest() const { return epoch_end_.newest(); }
  bool committing() const { return epoch_end_.checkpoints().busy(); }
  const std::optional<CommitRecord>& last_checkpoint() const { return epoch_end_.checkpoints().last(); }
  // With patience, that of the best epoch.
  const std::optional<CommitRecord>& best_checkpoint() const { return epoch_end_.checkpoints().best(); }
  // What the job's model is made of, as far as it is durable.
  const std::optional<CommitRecord>& model() const { return best_checkpoint() ? best_checkpoint() : last_checkpoint(); }

 private:
  // Messages, by kind.
  template <typename Message>
  requires requires(RunPreparation& to, const Message& m, NodeId from, Outbox& out) { to.on(m, from, out); }
  Status on(const Message& message, NodeId from, Outbox& out) {
    return prepare(preparation_.on(message, from, out), out);
  }
  template <typename Message>
  requires requires(Checkpoints& to, const Message& m, NodeId from, Outbox& out) { to.on(m, from, out); }
  Status on(const Message& message, NodeId from, Outbox& out) {
    return epoch_end_.checkpoints().on(message, from, out);
  }
  Status on(const Evaluated& evaluated, NodeId from, Outbox& out) { return epoch_end_.on(evaluated, from, out); }
  Status on(const Rounds& rounds, NodeId from, Outbox& out);
  Status on(const EpochDone& done, NodeId from, Outbox& out);

  Status prepare(Status status, Outbox& out) {
    if (status.ok() && phase_ < Phase::training && preparation_.complete()) begin_rounds(out);
    return status;
  }
  void begin_rounds(Outbox& out);
  void give_out(Outbox& out);
  Status end_epochs(Outbox& out);
  void continue_with(Result<EpochEnd::Next> next, Outbox& out);
  void finish(Outbox& out);
  void end(ExitCode code, const std::string& what, Outbox& out) {
    if (phase_ == Phase::ended) return;
    set_aside();
    end_(code, what, out);
  }

  RunPlan plan_;  // its slices are those of the cut, once there is one
  std::shared_ptr<Recorder> recorder_;
  Membership& members_;
  End end_;
  Held held_;
  Phase phase_ = Phase::loading;
  RunPreparation preparation_{plan_, *recorder_, members_.hosts(), phase_};

  Turns turns_{plan_.schedulers};
  Dispatch dispatch_{members_.hosts(), plan_.shards, plan_.slices, plan_.partitions, {}};
  RoundId next_round_ = 1;
  Epoch scheduling_epoch_ = 0;  // of the next round to come from the scheduler
  OpenEpochs epochs_{static_cast<std::uint32_t>(members_.hosts().size()), plan_.schedulers};
  Nanoseconds epoch_began_ = 0;
  double seconds_ = 0;  // in all epochs
  EpochEnd epoch_end_;
};

}  // namespace rota
