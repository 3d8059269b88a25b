// core/runtime/router.h -- the links of one process: which peers there are, where they and their nodes can be reached,
// and what goes to them next.
#pragma once
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "core/runtime/node.h"
#include "core/wire/link.h"

namespace rota {

struct HostSettings {
  NodeId process;
  std::uint64_t incarnation = 0;  // of this start, core/base/start_number.h
  std::uint64_t job = 0;
  std::string endpoint;  // where this process listens
  Nanoseconds peer_timeout = 30 * kSecond;
  Nanoseconds start_timeout = 60 * kSecond;  // how long to call a coordinator that never answered
  Nanoseconds rejoin_timeout = 0;            // and how long a lost one, as it may be restarted
  std::size_t piece_bytes = kPieceBytes;     // larger messages travel in pieces
};

// What the transport is to send.
struct Transmission {
  NodeId peer;
  std::string endpoint;
  Frames frames;
};

class Router {
 public:
  // Bytes of a HELLO or an ASK_STATUS, which are decoded before anything is known of their sender.
  static constexpr std::size_t kFirstBytesMost = std::size_t{64} << 10;
  // Replaced start numbers of a peer that are remembered, so that a late message of one is not taken for a new start.
  static constexpr std::size_t kReplacedMost = 64;

  struct PeerState {
    std::string endpoint;
    Link link;
    std::uint64_t self = 0;              // this process' number in messages to it
    std::deque<std::uint64_t> replaced;  // start numbers that this one's replaced
    bool full = false;
    bool gone = false;          // the run continues without it
    bool listed = false;        // in `touched_`
    Nanoseconds leaves_at = 0;  // if it is a guest

    bool was_replaced(std::uint64_t start) const { return std::ranges::find(replaced, start) != replaced.end(); }
  };

  // `settings` outlives it.
  explicit Router(const HostSettings& settings) : settings_(settings) {}

  // Where a process can be reached, and as which incarnation (0: whichever answers first).  Replaces what was known.
  void register_peer(const Peer& peer);
  // What is done with the result may give its link something to send.
  PeerState* find(NodeId process);
  const PeerState* find(NodeId process) const {
    const auto found = peers_.find(process);
    return found == peers_.end() ? nullptr : &found->second;
  }
  // A node that lives in another process than the one named after it.
  void route(NodeId node, NodeId process) { routes_[node] = process; }
  NodeId process_of(NodeId node) const {
    const auto found = routes_.find(node);
    return found == routes_.end() ? node : found->second;
  }

  // The coordinator learns all members from their HELLOs, and assigns the numbers they use with each other.
  void meet(const Welcome& welcome);
  // The same, and what is sent from now on is of this era.
  void begin_era(const Welcome& welcome);
  std::uint64_t era() const { return era_; }  // of the run; 0: not welcomed yet

  // Sends to a node of a peer that find() has; `encoded` is made once for all that the envelope goes to.  After an
  // error the process ends.
  Status submit(const Envelope& envelope, NodeId to, std::optional<Frames>& encoded, bool ending);
  bool has_spoken() const { return spoken_; }  // since next() gave all that there was

  // What to send next, round robin over the peers, so that a long queue for one does not delay the others.
  std::optional<Transmission> next(Nanoseconds now);
  void set_full(NodeId process, bool full) {
    if (PeerState* const peer = find(process)) peer->full = full;
  }
  void tick(Nanoseconds now);
  void close() {
    for (auto& [id, peer] : peers_) peer.link.close();
    touch_all();
  }

  // Guests go when they have their answer, or have had the time for it; or each would cost memory and descriptors until
  // the run ends.
  void dismiss_guests(Nanoseconds now);
  std::size_t guests() const {
    const auto is_guest = [](const PeerState& peer) { return peer.leaves_at != 0; };
    return static_cast<std::size_t>(std::ranges::count_if(std::views::values(peers_), is_guest));
  }
  // The transport need not keep a connection to a peer that is gone for good.
  void forget(NodeId peer) { forgotten_.push_back(peer); }
  std::vector<NodeId> take_forgotten() { return std::exchange(forgotten_, {}); }

  bool busy() const {  // something is to be acknowledged
    const auto is_busy = [](const PeerState& peer) { return !peer.gone && peer.link.busy(); };
    return std::ranges::any_of(std::views::values(peers_), is_busy);
  }
  bool drained() const {  // all that was sent has arrived
    const auto is_drained = [](const PeerState& peer) { return peer.gone || peer.link.drained(); };
    return std::ranges::all_of(std::views::values(peers_), is_drained);
  }
  std::uint64_t queued_to(NodeId node) const {
    const PeerState* const peer = find(process_of(node));
    return peer == nullptr ? 0 : peer->link.queued_bytes();
  }
  std::uint64_t bytes_sent() const { return bytes_sent_; }
  // Into a BEAT: the member that has acknowledged nothing for longest, since `awake_since` at most.
  void report_deaf(Beat& beat, Nanoseconds now, Nanoseconds awake_since) const;

 private:
  void touch(NodeId process, PeerState& peer) {
    if (!std::exchange(peer.listed, true)) touched_.push_back(process);
  }
  void touch_all() {
    for (auto& [id, peer] : peers_) touch(id, peer);
  }

  const HostSettings& settings_;
  std::map<NodeId, PeerState> peers_;
  std::map<NodeId, NodeId> routes_;
  std::uint64_t number_ = 0;  // this process' number in messages to other members; 0: its start number
  std::uint64_t era_ = 0;
  // Peers whose links may have something to send, in the order of their turns: with a thousand peers, looking at all of
  // them after each message took longer than all else.
  std::deque<NodeId> touched_;
  std::uint64_t bytes_sent_ = 0;
  bool spoken_ = false;
  std::vector<NodeId> forgotten_;
};

}  // namespace rota
