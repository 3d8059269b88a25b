// coordinator/coordinator.h -- the star's centre: takes processes in, goes back with those that live when one is lost,
// moves shards when workers join and leave, and decides how a run ends; what happens between is a Training.  It sees
// keys, counts and times, never a parameter value; README.md has its states.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "coordinator/plan.h"
#include "coordinator/roster.h"
#include "coordinator/shard_moves.h"
#include "coordinator/training.h"
#include "coordinator/workforce.h"
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
  // Messages of membership, by kind.
  void on(const Hello& hello, NodeId from, Outbox& out);
  void on(const Beat& beat, NodeId from, Outbox& out);
  void on(const Fault& fault, NodeId from, Outbox& out);
  void on(const Stop& stop, NodeId from, Outbox& out);  // a signal, of this process or of a member
  void on(const HasRead& read, NodeId from, Outbox& out);
  void on(const AskStatus& ask, NodeId from, Outbox& out);

  void heard(NodeId process, std::uint64_t memory, Nanoseconds now);
  void gather(Outbox& out);
  void drop_lost(Nanoseconds now);
  void tell_silent(Nanoseconds waited);
  void replace_missing(Nanoseconds waited);
  std::optional<std::string> crash_of(NodeId process);
  Ending word_of(const Roster::Loss& loss);
  void lose(NodeId process, const Ending& why, Outbox& out);
  void drop(NodeId process);
  void dismiss(NodeId process, const Ending& why, Outbox& out);
  void go_back(Outbox& out);
  bool hosts(NodeId process) const;
  // Under this coordinator or an earlier start of it.
  bool has_begun() const { return attempts_ > 0 || plan_.era > 1; }
  std::string too_few() const;
  void take_in(NodeId process, const Hello& hello, Nanoseconds now);
  bool join_later(const Hello& hello, NodeId from, Outbox& out);
  bool let_go(NodeId worker, Outbox& out);
  void release(NodeId worker, Outbox& out);
  void move_shards(Outbox& out);
  void held(Outbox& out);
  void begin_training(Outbox& out);
  void end(ExitCode code, const std::string& what, Outbox& out);
  void wrong(NodeId from, const std::string& what, Outbox& out);
  bool takes_part(NodeId node) const;

  RunPlan plan_;
  std::shared_ptr<Recorder> recorder_;
  Workforce workforce_;
  Roster roster_;
  ShardMoves moves_;
  enum class Phase { gathering, training, going_back, ended } phase_ = Phase::gathering;
  std::unique_ptr<Training> training_;  // none: it is to be made when all are there
  bool rewinding_ = false;              // the records go back
  bool paused_ = false;                 // for want of workers, which was told
  bool told_silent_ = false;            // which processes a coordinator that was started anew never heard
  std::uint32_t attempts_ = 0;          // Trainings that began
  Nanoseconds gathers_since_ = 0;
  std::optional<Ending> loss_;                // since the last time that all were there: the first
  std::set<std::string> crashes_;             // of plugins, and where: that come twice come again
  std::map<NodeId, Nanoseconds> stopped_by_;  // whose signals there were, and when the first came
};

}  // namespace rota
