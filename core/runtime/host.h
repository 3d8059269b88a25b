// core/runtime/host.h -- a process without its sockets, threads and clock: its nodes, the eras that they are made for,
// and how it ends.  process.cc runs one over ZeroMQ, tests/sim many in one thread.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/runtime/admission.h"
#include "core/runtime/coordinator_watch.h"
#include "core/runtime/node.h"
#include "core/runtime/process_end.h"
#include "core/runtime/router.h"
#include "core/wire/transport.h"

namespace rota {

class Host {
 public:
  using Settings = HostSettings;
  using Nodes = std::vector<std::unique_ptr<Node>>;
  // Makes the nodes of this process when the coordinator has admitted it, and again whenever the run goes back: then it
  // reuses what it can of those `before`, whose work has ended.
  using Factory = std::function<Result<Nodes>(const Welcome&, Nodes before)>;

  explicit Host(Settings settings);
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // For a process that joins: says HELLO to the coordinator, at its endpoint, and waits to be welcomed.
  void join(const std::string& coordinator, const Hello& hello, Factory factory, Nanoseconds now);
  // For an observer, which knows the coordinator's endpoint.
  void ask(const AskStatus& question, Nanoseconds now) { send({settings_.process, kCoordinator, question}, now); }
  // For the coordinator's process, and an observer's: a node that is there from the start.
  void add(std::unique_ptr<Node> node) { nodes_.insert_or_assign(node->id(), std::move(node)); }
  // Gives a message to one of this process' own nodes, as if from itself (the end of a signal handler's errand).
  void tell(NodeId to, Message message, const Outbox::World& world) {
    deliver({settings_.process, to, std::move(message)}, world);
    deliver_local(world);
  }

  void receive(const Frames& frames, const Outbox::World& world, const Origin& origin = {});
  void tick(const Outbox::World& world);
  // Work of a node has ended.  Messages to other nodes of this process wait for deliver_local().
  void finish(NodeId node, const Continuation& continuation, const Outbox::World& world);
  void deliver_local(const Outbox::World& world);
  // Something was sent since next() returned nothing, to any process; or this process is to end, or goes back.
  bool has_spoken() const { return router_.has_spoken() || !local_.empty() || goes_to_ || end_.begun(); }
  // This process has to go: reports it as a fault, and ends.
  void leave(ExitCode code, const std::string& what, Nanoseconds now) {
    fault({code, what}, now);
    end_.begin({code, what}, now);
  }
  // This process got a signal to end.  A member asks the coordinator to bring the job to a clean end and continues
  // until then; after a second signal, or without a reachable coordinator, it leaves.
  void end_requested(const std::string& what, Nanoseconds now);
  // Keys do not fit those of a peer: a process that joins or asks need not wait.
  void keys_refused(NodeId peer, const std::string& why, Nanoseconds now);
  // The transport lost its connection to a peer.  Nothing is lost yet, but silence now means more.
  void disconnected(NodeId peer, const Outbox::World& world);

  // What to hand to the transport next; call until nothing comes.
  std::optional<Transmission> next(Nanoseconds now);
  // What next() gave was handed over: runs what nodes left until then.
  void sent() {
    for (const auto& action : std::exchange(after_sending_, {})) action();
  }
  // The transport is full towards this peer: no more for it until it is writable again, or the next tick.
  void not_taken(NodeId peer);
  void writable(NodeId peer) {
    router_.set_full(peer, false);
    admission_.set_full(peer, false);
  }

  // Peers that have left for good since the last call: the transport need not keep their connections.
  std::vector<NodeId> take_forgotten() { return router_.take_forgotten(); }
  // Work that was started since the last call.
  std::vector<Outbox::Started> take_started() { return std::exchange(started_, {}); }

  bool has_started() const { return !started_.empty(); }
  // Whether some of it is not finished.
  bool has_work() const { return work_in_flight_ > 0; }
  // How long that will take.
  Nanoseconds expected() const {
    Nanoseconds sum = 0;
    for (const auto& one : started_) sum += one.expected;
    return sum;
  }

  // Whether ticks should come fast: there is something to be acknowledged.
  bool busy() const { return end_.begun() || router_.busy(); }
  // Set once this process has nothing left to do.
  const std::optional<Ending>& ended() const { return end_.complete(); }
  std::uint64_t bytes_sent() const { return router_.bytes_sent(); }
  // Bytes that the process of a node has not acknowledged yet; 0 if it is this one.
  std::uint64_t queued_to(NodeId node) const { return nodes_.contains(node) ? 0 : router_.queued_to(node); }
  // How many frames were refused, and the last reason.
  std::uint64_t refused() const { return admission_.refused(); }
  const std::string& last_refusal() const { return admission_.last_refusal(); }

  // As the Router's.
  void register_peer(const Peer& peer) { router_.register_peer(peer); }
  void route(NodeId node, NodeId process) { router_.route(node, process); }

 private:
  void receive_foreign(const Frames& frames, const std::string& what, const Origin& origin, Nanoseconds now);
  void receive_dismissal(const Header& header, const Frames& body, const Outbox::World& world);
  void receive_unreadable(NodeId process, const Status& why, Nanoseconds now);
  void receive_whole(NodeId process, Delivery delivery, const Outbox::World& world);
  void deliver(const Envelope& envelope, const Outbox::World& world);
  bool membership(const Envelope& envelope, const Outbox::World& world);
  void begin_era(const Welcome& welcome, const Outbox::World& world);
  void begin_era_if_idle(const Outbox::World& world);
  using Step = std::function<Status(Node&, Outbox&)>;
  void run_node(Node& node, const Step& step, const Outbox::World& world);
  void run_all(const Step& step, const Outbox::World& world) {
    for (const auto& [id, node] : nodes_) run_node(*node, step, world);
  }
  void collect(Outbox& out, const Outbox::World& world);
  void send(const Envelope& envelope, Nanoseconds now);
  void submit(const Envelope& envelope, NodeId to, std::optional<Frames>& encoded, Nanoseconds now);
  void fault(const Status& status, Nanoseconds now);

  Settings settings_;
  Router router_{settings_};
  Admission admission_;
  CoordinatorWatch watch_{settings_, router_};
  ProcessEnd end_{router_};

  std::map<NodeId, std::unique_ptr<Node>> nodes_;
  std::deque<Envelope> local_;  // from one of them to another
  std::vector<Outbox::Started> started_;
  std::vector<std::function<void()>> after_sending_;
  std::size_t work_in_flight_ = 0;  // started, and not finished
  std::uint64_t progress_ = 0;
  Nanoseconds last_tick_ = 0;
  bool gave_call_ = false;  // to the transport, last of all

  Factory factory_;
  std::optional<Welcome> goes_to_;                // the era to begin when the work of the one before has ended
  Nodes retired_;                                 // of that one
  std::deque<std::pair<NodeId, Delivery>> held_;  // of an era that other processes have begun before this one
};

}  // namespace rota
