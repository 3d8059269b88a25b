// core/runtime/host.h -- a process without its sockets, threads and clock: nodes, links to other processes, and
// membership of the job.  process.cc runs one over ZeroMQ, tests/sim many in one thread.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/runtime/node.h"
#include "core/wire/link.h"
#include "core/wire/transport.h"

namespace rota {

class Host final : public Queues {
 public:
  // Bytes of a HELLO or an ASK_STATUS, which are decoded before anything is known of their sender.
  static constexpr std::size_t kFirstBytesMost = std::size_t{64} << 10;
  // Those who are not of the run, but get an answer: who asks how it goes, and who is refused.  So many at once, each
  // for so long.
  static constexpr std::size_t kGuestsMost = 16;
  static constexpr Nanoseconds kGuestStaysMost = 5 * kSecond;
  // Replaced start numbers of a peer that are remembered, so that a late message of one is not taken for a new start.
  static constexpr std::size_t kReplacedMost = 64;

  struct Settings {
    NodeId process;
    std::uint64_t incarnation = 0;  // of this start, core/base/start_number.h
    std::uint64_t job = 0;
    std::string endpoint;  // where this process listens
    Nanoseconds peer_timeout = 30 * kSecond;
    Nanoseconds start_timeout = 60 * kSecond;  // how long to call a coordinator that was never heard
    Nanoseconds rejoin_timeout = 0;            // and how long one that was lost, as it may be started anew
    std::size_t piece_bytes = kPieceBytes;     // larger messages travel in pieces
  };
  using Nodes = std::vector<std::unique_ptr<Node>>;
  // Makes the nodes of this process when the coordinator has let it in, and again whenever the run goes back: then of
  // those `before`, whose work has ended, what is of use.
  using Factory = std::function<Result<Nodes>(const Welcome&, Nodes before)>;

  explicit Host(Settings settings) : settings_(std::move(settings)) {}

  // For a process that joins: says HELLO to the coordinator, at its endpoint, and waits to be welcomed.
  void join(const std::string& coordinator, const Hello& hello, Factory factory, Nanoseconds now);
  // For an observer: asks the coordinator, whose endpoint is known.
  void ask(const AskStatus& question, Nanoseconds now) { send({settings_.process, kCoordinator, question}, now); }
  // For the coordinator's process, and an observer's: a node that is there from the start.
  void add(std::unique_ptr<Node> node);
  // Gives a message to one of this process' own nodes, as if from itself (the end of a signal handler's errand).
  void tell(NodeId to, Message message, const Outbox::World& world);

  void receive(const Frames& frames, const Outbox::World& world, const Origin& origin = {});
  void tick(const Outbox::World& world);
  void finished(NodeId node, const Continuation& continuation, const Outbox::World& world);
  // Likewise; but what follows for other nodes of this process waits for deliver_local().
  void finish(NodeId node, const Continuation& continuation, const Outbox::World& world);
  void deliver_local(const Outbox::World& world);
  // Something was said since next() gave all that there was, to whomever; or this process is to end, or goes back.
  bool has_spoken() const { return spoken_ || !local_.empty() || goes_to_ || ending_; }
  // This process has to go: reports it as a fault, and ends.
  void leave(ExitCode code, const std::string& what, Nanoseconds now);
  // This process was told to end.  A member asks the coordinator to bring the job to a clean end and goes on until
  // then; told again, or without a coordinator that hears it, it leaves.
  void told_to_end(const std::string& what, Nanoseconds now);
  // Keys do not fit those of a peer: who joins or asks has nothing to wait for.
  void keys_refused(NodeId peer, const std::string& why, Nanoseconds now);
  // The transport lost its connection to a peer.  Nothing is lost yet, but silence now means more.
  void disconnected(NodeId peer, const Outbox::World& world);

  struct Transmission {
    NodeId peer;
    std::string endpoint;
    Frames frames;
  };
  // What to hand to the transport next; call until nothing comes.
  std::optional<Transmission> next(Nanoseconds now);
  // The transport is full towards this peer; no more for it until it is writable again, or the next tick.
  void not_taken(NodeId peer);
  void writable(NodeId peer);

  // Peers that are gone for good since the last call, to whom the transport need not keep a connection.
  std::vector<NodeId> take_forgotten() { return std::exchange(forgotten_, {}); }
  // Work that was started since the last call.
  std::vector<Outbox::Started> take_started() { return std::exchange(started_, {}); }

  // Whether ticks should come fast: there is something to be acknowledged.
  bool busy() const;
  // Set once this process has nothing left to do.
  const std::optional<Ending>& ended() const { return ended_; }
  std::uint64_t bytes_sent() const;
  std::uint64_t queued_to(NodeId node) const override;
  // How many frames were refused, and the last reason.
  std::uint64_t refused() const { return refused_; }
  const std::string& last_refusal() const { return last_refusal_; }

  // Where a process can be reached, and as which incarnation (0: whichever answers first).  Replaces what was known.
  void register_peer(const Peer& peer);
  // A node that lives in another process than the one named after it.
  void route(NodeId node, NodeId process) { routes_[node] = process; }

 private:
  struct PeerState {
    std::string endpoint;
    Link link;
    std::uint64_t self = 0;              // as which this process speaks to it
    std::deque<std::uint64_t> replaced;  // start numbers that this one's came in place of
    bool full = false;
    bool gone = false;          // the run goes on without it
    Nanoseconds leaves_at = 0;  // if it is a guest
  };
  // To a process that no link is kept for: it belongs to another job or version, or is not taken in yet or any more.
  struct Letter {
    NodeId address;  // of the letter itself: no process has it
    std::string endpoint;
    Frames frames;
    Kind kind;
    std::uint64_t start = 0;  // of the process that it is for
    Nanoseconds leaves_at = 0;
    bool full = false, sent = false;
  };

  // The first word of another start of a member, that is to show that it lives.
  struct Newcomer {
    NodeId process;
    std::uint64_t start = 0;
    Frames hello;
    Nanoseconds leaves_at = 0;
  };

  bool accepts(const Header& header, const Frames& body, const Origin& origin, Nanoseconds now);
  void receive_foreign(const Frames& frames, const std::string& what, const Origin& origin, Nanoseconds now);
  void receive_of_another_job(const Header& header, const Frames& body, Nanoseconds now);
  bool is_another(const Header& header, Nanoseconds now) const;
  static Header answer_to(const Header& header);
  void refuse_by_letter(const std::string& who, Role role, const std::string& endpoint, Header header,
                        const Refuse& refusal, Nanoseconds now);
  bool write_letter(Role role, const std::string& endpoint, Header header, const Message& message, Nanoseconds now);
  bool wants_place(const Header& header) const;
  bool was_replaced(const Header& header) const;
  void dismiss(NodeId process, std::uint64_t start, const std::string& endpoint, Nanoseconds now);
  void ask_for_life(const Header& header, const Frames& body, const std::string& endpoint, Nanoseconds now);
  std::optional<Frames> proves_life(const Header& header);
  void take_place(NodeId process, std::uint64_t start, Nanoseconds now);
  bool is_dismissal(const Header& header) const;
  void receive_dismissal(const Header& header, const Frames& body, const Outbox::World& world);
  std::size_t guests() const;
  void dismiss_guests(Nanoseconds now);
  void receive_unreadable(NodeId process, const Status& why, Nanoseconds now);
  void receive_whole(NodeId process, Delivery delivery, const Outbox::World& world);
  void deliver(const Envelope& envelope, const Outbox::World& world);
  void look_for_coordinator(Nanoseconds now);
  bool membership(const Envelope& envelope, const Outbox::World& world);
  void begin_era(const Welcome& welcome, const Outbox::World& world);
  void begin_era_if_idle(const Outbox::World& world);
  void deliver_held(const Outbox::World& world);
  void know(const Welcome& welcome);
  void meet(const Welcome& welcome);
  Beat beat(const Outbox::World& world) const;
  void call_again(Nanoseconds now);
  void heard_coordinator(Nanoseconds now);
  void stop_calling();
  void greet_anew(std::uint64_t coordinator);
  bool answers_call(const Header& header) const;
  void run_node(Node& node, const std::function<Status(Outbox&)>& turn, const Outbox::World& world);
  void collect(Outbox& out, const Outbox::World& world);
  void send(const Envelope& envelope, Nanoseconds now);
  void submit(const Envelope& envelope, NodeId to, std::optional<Frames>& encoded, Nanoseconds now);
  void fault(const Status& status, Nanoseconds now);
  void end(Ending ending, Nanoseconds now);
  void settle(Nanoseconds now);
  void refuse(std::string why);
  NodeId process_of(NodeId node) const;
  bool admits(const Header& header, Nanoseconds now);

  Settings settings_;
  std::map<NodeId, std::unique_ptr<Node>> nodes_;
  std::map<NodeId, NodeId> routes_;
  std::map<NodeId, PeerState> peers_;
  std::deque<Letter> letters_;
  std::uint32_t letters_written_ = 0;
  std::deque<Newcomer> newcomers_;
  std::vector<NodeId> forgotten_;
  std::optional<NodeId> last_served_;  // next() goes round the peers
  std::deque<Envelope> local_;
  bool spoken_ = false;  // to another process
  std::vector<Outbox::Started> started_;

  Factory factory_;
  Hello hello_;  // of a process that joins
  bool joining_ = false;
  bool member_ = false;
  std::uint64_t number_ = 0;        // as which this process speaks to other members; 0: its start number
  std::uint64_t era_ = 0;           // of the run; 0: not welcomed yet
  std::optional<Welcome> goes_to_;  // the era to begin when the work of the one before has ended
  Nodes retired_;                   // of that one
  std::size_t works_ = 0;           // started, and not finished
  struct Held {
    NodeId process;
    Delivery delivery;
  };
  std::deque<Held> held_;        // of an era that others have begun before this process
  Nanoseconds calls_since_ = 0;  // when the coordinator was lost; 0: it is there
  Nanoseconds called_at_ = 0;
  std::optional<Frames> call_;  // for a coordinator that was started anew
  bool gave_call_ = false;      // to the transport, last of all
  std::uint64_t progress_ = 0;
  Nanoseconds last_beat_ = 0;
  Nanoseconds joined_at_ = 0;
  Nanoseconds last_tick_ = 0;
  Nanoseconds awake_since_ = 0;      // the end of the last time that this process stood still
  bool coordinator_broken_ = false;  // the connection to it broke, and it was not heard again
  Nanoseconds told_to_end_at_ = 0;

  std::optional<Ending> ending_;
  Nanoseconds ending_since_ = 0;
  bool dismissed_ = false;  // the coordinator said STOP or REFUSE
  bool faulted_ = false;
  Nanoseconds faulted_at_ = 0;
  Ending fault_;
  std::optional<Ending> ended_;
  std::uint64_t refused_ = 0;
  std::string last_refusal_;
};

}  // namespace rota
