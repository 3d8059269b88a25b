// coordinator/coordinator.h -- the star's centre: takes processes in, gives rounds out, ends epochs, keeps the commit
// record, and decides how a run ends.  It sees keys, counts and times, never a parameter value; README.md has its
// states.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/best_epoch.h"
#include "coordinator/checkpoint.h"
#include "coordinator/dispatch.h"
#include "coordinator/epoch_sum.h"
#include "coordinator/loading.h"
#include "coordinator/open_epochs.h"
#include "coordinator/plan.h"
#include "coordinator/roster.h"
#include "core/records/records.h"
#include "core/runtime/node.h"

namespace rota {

class Coordinator final : public Node {
 public:
  // `recorder` is shared because its slow calls run on the thread for files.
  Coordinator(RunPlan plan, std::shared_ptr<Recorder> recorder);

  NodeId id() const override { return kCoordinator; }
  Status step(const Envelope& in, Outbox& out) override;
  Status tick(Outbox& out) override;
  void peer_heard(NodeId process, Nanoseconds now) override { heard(process, 0, now); }
  void stood_still(Nanoseconds span, Nanoseconds now) override;
  Status peer_disconnected(NodeId process, Outbox& out) override;
  void peer_refused(const std::string& who, const std::string& why) override {
    recorder_->event("refused", {{"role", who}, {"why", why}});
  }

 private:
  enum class Phase { gathering, loading, cutting, preparing, training, finishing, ended };
  // What happens at the end of the epoch behind which nothing is given out yet.
  struct Boundary {
    Epoch epoch = 0;
    bool evaluate = false, save = false, last = false;  // none: it is waited for what the schedule says
    enum class Stage { running, evaluating, saving } stage = Stage::running;
  };

  // Messages, by kind.
  void on(const Hello& hello, NodeId from, Outbox& out);
  void on(const Beat& beat, NodeId from, Outbox& out);
  void on(const Fault& fault, NodeId from, Outbox& out);
  void on(const Stop& stop, NodeId from, Outbox& out);  // a signal, of this process or of a member
  void on(const Loaded& loaded, NodeId from, Outbox& out);
  void on(const CutMade& cut, NodeId from, Outbox& out);
  void on(const Ready& ready, NodeId from, Outbox& out);
  void on(const Rounds& rounds, NodeId from, Outbox& out);
  void on(const Committed& committed, NodeId from, Outbox& out);
  void on(const EpochDone& done, NodeId from, Outbox& out);
  void on(const Evaluated& evaluated, NodeId from, Outbox& out);
  void on(const Saved& saved, NodeId from, Outbox& out);
  void on(const Written& written, NodeId from, Outbox& out);
  void on(const AskStatus& ask, NodeId from, Outbox& out);

  void heard(NodeId process, std::uint64_t memory, Nanoseconds now);
  void gather(Outbox& out);
  std::optional<std::string> crash_of(NodeId process);
  void lose(const Roster::Loss& loss, Outbox& out);
  void begin_loading(Outbox& out);
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
  void record_checkpoint(Outbox& out);
  void tell_done(Outbox& out);
  void finish_when_written(Outbox& out);
  void finish(Outbox& out);
  void end(ExitCode code, const std::string& what, Outbox& out);
  void wrong(NodeId from, const std::string& what, Outbox& out);
  bool takes_part(NodeId node) const;
  template <typename M>
  void to_all(const std::vector<NodeId>& nodes, const M& message, Outbox& out);

  RunPlan plan_;  // its slices are those of the cut, once there is one
  std::shared_ptr<Recorder> recorder_;
  Roster roster_;
  Phase phase_ = Phase::gathering;
  Nanoseconds started_at_ = 0;

  // Preparing.
  Loading loading_;
  std::set<NodeId> ready_;
  std::uint64_t items_ = 0;
  std::string items_unit_;
  std::vector<Term> terms_;
  std::vector<Score> scores_;
  bool evaluating_pass_ = false;

  // Training.
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
  double seconds_ = 0;
  EpochRecord record_;  // the newest
  std::optional<Evaluation> evaluation_;
  BestEpoch best_epoch_;

  // Checkpoints.
  std::optional<Checkpoint> checkpoint_;         // being written
  std::optional<CommitRecord> last_checkpoint_;  // the newest
  std::optional<CommitRecord> best_checkpoint_;  // with patience, of the best epoch
  CommitRecord next_checkpoint_;
  Nanoseconds last_checkpoint_at_ = 0;

  std::optional<Ending> stop_;                // asked for by a signal
  std::map<NodeId, Nanoseconds> stopped_by_;  // whose signals they were, and when the first came
};

}  // namespace rota
