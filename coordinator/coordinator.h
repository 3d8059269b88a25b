// coordinator/coordinator.h -- the star's centre: takes processes in, goes back with those that live when one is lost,
// moves shards when workers join and leave, and decides how a run ends; what happens between is a Training.  It sees
// keys, counts and times, never a parameter value; README.md has its states.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "coordinator/membership.h"
#include "coordinator/plan.h"
#include "coordinator/training.h"
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
  void peer_is_alive(NodeId process, Nanoseconds now) override { members_.confirm_alive(process, 0, now); }
  void was_suspended(Nanoseconds span, Nanoseconds now) override {
    if (gathers_since_ != 0) gathers_since_ += span;
    members_.roster().discount_pause(now);
  }
  Status peer_disconnected(NodeId process, Outbox& out) override;
  void peer_refused(const std::string& process, const std::string& why) override {
    recorder_->event("refused", {{"role", process}, {"why", why}});
  }

 private:
  // Messages of membership, by kind.
  Status on(const Hello& hello, NodeId from, Outbox& out);
  Status on(const Beat& beat, NodeId from, Outbox& out);
  Status on(const Fault& fault, NodeId from, Outbox& out);
  Status on(const Stop& stop, NodeId from, Outbox& out);  // a signal, of this process or of a member
  Status on(const HasRead& read, NodeId from, Outbox& out);
  Status on(const AskStatus& ask, NodeId from, Outbox& out);

  void gather(Outbox& out);
  void begin_era(Outbox& out);
  void lose(NodeId process, const Ending& why, Outbox& out);
  void dismiss(NodeId process, const Ending& why, Outbox& out);
  bool drain(NodeId worker, Outbox& out);
  void leave_era(Phase phase, Outbox& out);
  void roll_back(Outbox& out);
  bool finishing() const { return training_ != nullptr && training_->finishing(); }
  std::optional<Ending> stopped() const { return training_ != nullptr ? training_->stopped() : std::nullopt; }
  void end(ExitCode code, const std::string& what, Outbox& out);

  RunPlan plan_;
  std::shared_ptr<Recorder> recorder_;
  Membership members_;
  Phase phase_ = Phase::gathering;      // in training from the beginning of an era
  std::unique_ptr<Training> training_;  // none: it is to be made when all are there
  bool rewinding_ = false;              // the records go back
  bool paused_ = false;                 // for want of workers, which was reported
  Nanoseconds gathers_since_ = 0;
  std::optional<Ending> loss_;                // since the last time that all were there: the first
  std::set<std::string> crashes_;             // of plugins, and where: that come twice come again
  std::map<NodeId, Nanoseconds> stopped_by_;  // whose signals there were, and when the first came
};

}  // namespace rota
