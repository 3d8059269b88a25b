// scheduler/scheduler.h -- keeps the pipeline of rounds full, and feeds commits back to the plugin's schedule.
// README.md has its states.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/job/hosted_app.h"
#include "core/rounds/commits.h"
#include "core/runtime/node.h"

namespace rota {

class Scheduler final : public Node {
 public:
  explicit Scheduler(std::shared_ptr<const HostedApp> app);

  NodeId id() const override { return {Role::scheduler, job_.index}; }
  Status step(const Envelope& in, Outbox& out) override;

  // How many epochs' ends are remembered because they may be saved yet.
  std::size_t states_kept() const { return states_.size(); }

 private:
  Status on(const Welcome& welcome, NodeId from, Outbox& out);
  Status on(const JobFacts& message, NodeId from, Outbox& out);
  Status on(const Start& start, NodeId from, Outbox& out);
  Status on(const RoundFeedback& feedback, NodeId from, Outbox& out);
  Status on(const EpochOver& over, NodeId from, Outbox& out);
  Status on(const Save& save, NodeId from, Outbox& out);
  Status on(const Fetched& fetched, NodeId from, Outbox& out);
  void put_state(Epoch epoch, Outbox& out);
  Status schedule_more(Outbox& out);
  Status choose(Rounds& rounds);
  Status end_epoch(Rounds& rounds);
  std::uint64_t feedback_needed() const;
  Status feed_back();
  bool may_choose() const;

  std::shared_ptr<const HostedApp> app_;
  const Plugin& plugin_;
  const JobConfig& job_;
  std::unique_ptr<Schedule> schedule_;
  std::optional<Epoch> resume_;
  Cut cut_;

  bool started_ = false;
  bool restored_ = false;  // a resumed job's schedule has its state back
  bool ended_ = false;     // it has ended the job
  std::uint32_t pipeline_ = 0;
  Epoch last_epoch_ = 0;
  Epoch epoch_ = 0;            // of the next round
  bool epoch_ending_ = false;  // its last round is out, and not all feedback is in
  Random random_{{1, 0, 0, 0}};
  RoundId next_ = 1;  // by this scheduler's own count
  // Of this epoch's rounds: all that were chosen, those of them that have feedback, and those that were fed back.
  std::uint64_t rounds_ = 0, chosen_ = 0, fed_back_ = 0;
  std::deque<RoundDeltas> committed_;               // and not yet fed back, in order
  Epoch epochs_done_ = 0;                           // epochs before this one are over
  std::map<Epoch, std::vector<std::byte>> states_;  // the schedule's state at the end of epochs that may be saved yet
  std::optional<Epoch> to_save_;                    // SAVE came before the epoch's feedback did
  Feedback wish_ = Feedback::changes;
  bool may_end_job_ = false;
  std::size_t dataflows_ = 0;           // of the app
  std::optional<Feedbacks> feedbacks_;  // none: FACTS did not come yet
};

}  // namespace rota
