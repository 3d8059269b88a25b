// coordinator/training.h -- the job from what is committed, or from nothing, until it ends: loading, the rounds, the
// ends of epochs, checkpoints, the result.  README.md has its phases.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "coordinator/best_epoch.h"
#include "coordinator/checkpoint.h"
#include "coordinator/copies.h"
#include "coordinator/dispatch.h"
#include "coordinator/epoch_sum.h"
#include "coordinator/loading.h"
#include "coordinator/open_epochs.h"
#include "coordinator/plan.h"
#include "coordinator/roster.h"
#include "core/records/records.h"
#include "core/runtime/node.h"

namespace rota {

class Training {
 public:
  // How it ends.  Called at most once, in the midst of a step.
  using End = std::function<void(ExitCode code, const std::string& what, Outbox& out)>;
  // It stands behind last_checkpoint(), as asked for by hold().  Called at most once, likewise.
  using Held = std::function<void(Outbox& out)>;

  // Goes on behind `plan.resume`, if there is one.  `roster` outlives this.
  Training(RunPlan plan, std::shared_ptr<Recorder> recorder, Roster& roster, End end, Held held);

  // Lets everybody in.  All that are expected have joined.
  void begin(Outbox& out);
  // What begin() told all: for one that joins later.
  Welcome welcome() const;
  // A message that is not of membership.
  Status step(const Envelope& in, Outbox& out);
  // The epoch that is being computed is to be the last.  REQUIRES trains().
  void stop(const Ending& why);
  // At the end of the epoch that is being computed, or soon behind it, all is saved and nothing more given out, so that
  // shards can move; unless it is the last.  REQUIRES trains().
  void hold();

  // Everybody is prepared.
  bool trains() const { return phase_ >= Phase::training; }
  // All epochs are there: nobody's help is needed any more.
  bool finishing() const { return phase_ == Phase::finishing; }
  // A signal asked for the end: how the job ends if it ends now.
  std::optional<Ending> stopped() const;

  // Nothing that is said counts any more: a process was lost, and another Training goes on behind last_checkpoint().
  void set_aside() { phase_ = Phase::ended; }
  // The newest epoch.
  const EpochRecord& newest() const { return record_; }
  // A commit record is being written, or a part of a copy, by the thread for files: what is durable is known when it
  // is.
  bool committing() const { return committing_ || copies_.busy(); }
  const std::optional<CommitRecord>& last_checkpoint() const { return last_checkpoint_; }
  // With patience, that of the best epoch.
  const std::optional<CommitRecord>& best_checkpoint() const { return best_checkpoint_; }
  // What the job's model is made of, as far as it is durable.
  const std::optional<CommitRecord>& model() const { return best_checkpoint_ ? best_checkpoint_ : last_checkpoint_; }

 private:
  enum class Phase { loading, cutting, preparing, training, finishing, ended };
  // What happens at the end of the epoch behind which nothing is given out yet.
  struct Boundary {
    Epoch epoch = 0;
    bool evaluate = false, save = false, last = false;  // none: it is waited for what the schedule says
    enum class Stage { running, evaluating, saving } stage = Stage::running;
  };

  // Messages, by kind.
  void on(const Loaded& loaded, NodeId from, Outbox& out);
  void on(const CutMade& cut, NodeId from, Outbox& out);
  void on(const Ready& ready, NodeId from, Outbox& out);
  void on(const Rounds& rounds, NodeId from, Outbox& out);
  void on(const Committed& committed, NodeId from, Outbox& out);
  void on(const EpochDone& done, NodeId from, Outbox& out);
  void on(const Evaluated& evaluated, NodeId from, Outbox& out);
  void on(const Saved& saved, NodeId from, Outbox& out);
  void on(const Written& written, NodeId from, Outbox& out);
  void on(const Chunk& chunk, NodeId from, Outbox& out);
  void on(const AskChunk& ask, NodeId from, Outbox& out);

  void enter(Phase phase);
  void tell_ignored(const std::vector<Ignored>& ignored);
  void begin_training(Outbox& out);
  void give_out(Outbox& out);
  Boundary boundary_after(Epoch epoch, Nanoseconds now) const;
  void end_epochs(Outbox& out);
  void begin_evaluation(Outbox& out);
  void record_epoch(const std::vector<double>* terms, Outbox& out);
  void follow_score();
  void send_tasks(Outbox& out);
  void begin_save(Outbox& out);
  void go_on(Outbox& out);
  void go_on_behind_save(Outbox& out);
  void record_if_whole(Outbox& out);
  void record_checkpoint(Outbox& out);
  void tell_done(Outbox& out);
  void finish_when_written(Outbox& out);
  void finish(Outbox& out);
  void end(ExitCode code, const std::string& what, Outbox& out);
  void wrong(NodeId from, const std::string& what, Outbox& out);

  RunPlan plan_;  // its slices are those of the cut, once there is one
  std::shared_ptr<Recorder> recorder_;
  Roster& roster_;
  End end_;
  Held held_;
  Phase phase_ = Phase::loading;

  // Preparing.
  Loading loading_;
  std::set<NodeId> ready_;
  std::uint64_t items_ = 0;
  std::string items_unit_;
  std::vector<Term> terms_;
  std::vector<Score> scores_;
  bool evaluating_pass_ = false;

  // Rounds.
  Epoch last_epoch_ = 0;
  bool may_end_job_ = false;  // the schedule may end the job with any epoch, so none begins before it has said
  bool ends_job_ = false;     // the schedule ended the job before its last epoch
  Turns turns_;
  Dispatch dispatch_;
  RoundId next_round_ = 1;
  Epoch scheduling_epoch_ = 0;  // of the next round to come from the scheduler
  std::optional<Boundary> boundary_;
  std::map<Epoch, RoundId> last_round_;  // of epochs that were given out whole
  OpenEpochs epochs_;
  Nanoseconds epoch_began_ = 0;
  Nanoseconds epoch_took_ = 0;  // the newest
  double seconds_ = 0;
  EpochRecord record_;  // the newest
  std::optional<Evaluation> evaluation_;
  BestEpoch best_epoch_;

  // Checkpoints.
  std::optional<Checkpoint> checkpoint_;         // being written
  Copies copies_;                                // of its files on other disks
  bool committing_ = false;                      // its record is being written
  std::optional<CommitRecord> last_checkpoint_;  // the newest
  std::optional<CommitRecord> best_checkpoint_;  // with patience, of the best epoch
  CommitRecord next_checkpoint_;
  Nanoseconds last_checkpoint_at_ = 0;
  Nanoseconds save_began_ = 0;
  std::optional<Nanoseconds> save_took_;  // from SAVE to the commit record, the newest

  std::optional<Ending> stop_;  // asked for by a signal
  bool hold_ = false;
};

}  // namespace rota
