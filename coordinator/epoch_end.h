// coordinator/epoch_end.h -- what happens between two epochs: evaluation, checkpoint, and whether the next one follows,
// the run is held so that shards can move, or the job ends.
#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "coordinator/checkpoints.h"
#include "coordinator/dispatch.h"
#include "coordinator/evaluation.h"
#include "coordinator/plan.h"
#include "coordinator/run_preparation.h"
#include "core/records/evaluated_epoch.h"
#include "core/records/records.h"
#include "core/runtime/node.h"

namespace rota {

// The last epoch of a job that ends when its schedule says so.
inline constexpr Epoch kNoLastEpoch = std::numeric_limits<Epoch>::max() - 1;

class EpochEnd {
 public:
  enum class Next { epoch, hold, finish };
  // What follows, or the error that ends the job.
  using Then = std::function<void(Result<Next> next, Outbox& out)>;

  // All references outlive this.
  EpochEnd(const RunPlan& plan, std::shared_ptr<Recorder> recorder, const ShardHosts& hosts,
           const JobDescription& description, Dispatch& dispatch, Then then);

  // The rounds begin.  `last`: the last epoch, if nothing ends the job earlier.
  void begin(Epoch last, Nanoseconds now) {
    last_ = last;
    last_checkpoint_at_ = now;
  }
  // The last round of an epoch, `round`, is given out.  `ends_job`: so the schedule says in that round.
  void given_out(Epoch epoch, RoundId round, bool ends_job, Nanoseconds now);
  // And its tasks are sent.  If it is known to be evaluated, workers and partitions are asked now, and begin as soon as
  // it is over for them; unless slices are to visit shards, for which it has to be over for all.
  void tasks_sent(Outbox& out) {
    const bool early = boundary_ && boundary_->evaluate && !boundary_->evaluation && !visits();
    if (early) ask_for_evaluation(out);
  }
  // Something is done first after the epoch that was given out last: no round beyond it is given out.
  bool blocks() const { return boundary_.has_value(); }
  // It is being done: the epoch itself is over.
  bool under_way() const { return boundary_ && boundary_->stage != Stage::computing; }
  // All schedulers have said whether an epoch is the last.  If it is not, and nothing else is done after it, the next
  // one may be given out before it is over.
  void known(Epoch epoch, bool ends_job) {
    const bool waits = boundary_ && boundary_->epoch == epoch && boundary_->stage == Stage::computing;
    if (waits && !ends_job && !boundary_->evaluate && !boundary_->save && !boundary_->last && !stop_) boundary_.reset();
  }
  // All workers and schedulers have ended an epoch, which took `took`.  `ends_job`: all schedulers say that it is the
  // last.
  Status over(EpochRecord record, bool ends_job, Nanoseconds took, Outbox& out);
  // A worker's or partition's share of an evaluation.  An error ends the job with it.
  Status on(const Evaluated& evaluated, NodeId from, Outbox& out);

  // An evaluation that takes long is an event, for users who wait.
  void report_long_evaluation(Nanoseconds now);
  // A signal: the epoch that is being computed is to be the last.
  void stop(const Ending& why);
  // After the epoch that is being computed, or soon after, all is saved and Next::hold follows, unless the job ends.
  void hold() {
    if (stop_) return;
    hold_ = true;
    if (boundary_ && boundary_->stage != Stage::saving) boundary_->save = true;
  }

  Epoch last_epoch() const { return last_; }
  const EpochRecord& newest() const { return record_; }
  // How the job ends if it ends now, if a signal asked for the end.
  std::optional<Ending> stopped() const;
  Checkpoints& checkpoints() { return checkpoints_; }
  const Checkpoints& checkpoints() const { return checkpoints_; }

 private:
  enum class Stage { computing, evaluating, saving };
  // The end of the epoch beyond which nothing is given out.
  struct Boundary {
    Epoch epoch = 0;
    RoundId next_round = 0;
    bool evaluate = false, save = false, last = false;  // none: only what the schedule says is waited for
    Stage stage = Stage::computing;
    std::optional<Evaluation> evaluation = {};
    Nanoseconds evaluates_since = 0;
    bool reported = false;
  };

  Status advance(Outbox& out);
  void checkpoint_progressed(const Status& status, std::optional<Epoch> committed, Outbox& out);
  void ask_for_evaluation(Outbox& out);
  Status record_epoch(Outbox& out);
  Status check_terms(const std::vector<double>& terms) const;
  void follow_score();
  void begin_save(Outbox& out);
  bool visits() const { return description_.loaded.evaluating_pass && plan_.slices > 0; }
  bool evaluates(Epoch epoch) const { return plan_.eval_every > 0 && epoch % plan_.eval_every == 0; }

  const RunPlan& plan_;
  std::shared_ptr<Recorder> recorder_;
  const ShardHosts& hosts_;
  const JobDescription& description_;
  Dispatch& dispatch_;
  Then then_;
  Epoch last_ = 0;
  bool ends_job_ = false;  // the schedule ended the job before its last epoch
  std::optional<Boundary> boundary_;
  EpochRecord record_ = plan_.resume ? plan_.resume->record : EpochRecord{};
  Nanoseconds took_ = 0;  // the newest epoch
  BestEpoch best_epoch_{plan_.patience, record_.best};
  Checkpoints checkpoints_;
  Nanoseconds last_checkpoint_at_ = 0;
  std::optional<Ending> stop_;
  bool hold_ = false;
};

}  // namespace rota
