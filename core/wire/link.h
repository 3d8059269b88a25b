// core/wire/link.h -- a reliable stream of messages to one peer process and back, over a transport that loses.
//
// ZeroMQ delivers at most once: what was queued on a connection that breaks is gone without an error.  So every
// message is numbered, kept until it is acknowledged, delivered in order and once, and sent again when the peer says
// that it is missing.  PROTOCOL.md, "Links".  Pure: packets in, packets out, time as an argument.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/wire/codec.h"
#include "core/wire/node_id.h"
#include "core/wire/pieces.h"

namespace rota {

// What an ACK answers that is a sign of life and no more: no probe has this number.
inline constexpr std::uint64_t kSignOfLife = ~std::uint64_t{0};

class Link {
 public:
  // Bytes that may be on their way unacknowledged (one packet may be larger), so a slow peer costs bounded memory in
  // the transport and the rest waits here.
  static constexpr std::size_t kWindowBytes = std::size_t{64} << 20;
  static constexpr std::size_t kWindowMessages = 512;
  // The window after a loss: halved by each further loss, and larger by three for each message that arrives.  A broken
  // connection loses all that is in flight, so where it breaks often a long burst would never arrive.
  static constexpr std::size_t kWindowAfterLoss = 8;
  // Limit of all queued bytes beside the largest message, unacknowledged or beyond the window.  A live peer slower than
  // its sender would otherwise exhaust the memory, and the system would choose which process to kill.
  static constexpr std::size_t kQueueBytesMost = std::size_t{4} << 30;
  static constexpr std::size_t kQueueMessagesMost = std::size_t{1} << 21;
  // Silence after which the peer is probed; doubles with every unanswered probe.
  static constexpr Nanoseconds kProbeAfter = kSecond;
  static constexpr Nanoseconds kProbeMost = 16 * kSecond;

  struct Self {
    NodeId process;
    std::uint64_t incarnation = 0;
    std::uint64_t job = 0;
    std::size_t piece_bytes = kPieceBytes;  // larger messages are cut
  };

  Link(const Self& self, NodeId peer, std::uint64_t peer_incarnation)
      : self_(self), peer_(peer), peer_incarnation_(peer_incarnation) {}

  NodeId peer() const { return peer_; }
  std::uint64_t peer_incarnation() const { return peer_incarnation_; }

  // Queues a message, whatever is queued already: the caller then checks overfull().  A large one goes in pieces.
  // `era`: 0 if it belongs to none.
  void submit(NodeId from, NodeId to, Kind kind, const Frames& message, std::uint64_t era = 0);
  // What belongs to an earlier era, and of which nothing was sent yet, need not be sent any more.
  void forget_before(std::uint64_t era);
  // The next frames to hand to the transport, if any may go now.  They count as sent.
  std::optional<Frames> next(Nanoseconds now, Covers covers = Covers::all);
  // The transport did not take what next() gave last: it will be given again.
  void not_taken();

  enum class Arrival {
    stale,  // from or for another incarnation: it says nothing of the peer
    taken,  // the link's own, a repetition, ahead of a gap, or a part: the peer lives, and there is nothing to deliver
    deliver,  // `message` is the next in order
    wrong,    // the peer made what cannot be, or there is no memory for it; `status` says what
  };
  struct Arrived {
    Arrival arrival = Arrival::taken;
    Delivery message;
    Status status;
  };
  // Takes what arrived from the peer: its header, and the frames after it.  It decodes nothing that is stale, repeated
  // or ahead, and of the rest only the link's own messages.
  Arrived receive(const Header& header, const Frames& body, Nanoseconds now);

  void tick(Nanoseconds now);
  // Says something at once.  If this end replaces another, the peer, whose end may be new already, learns so that what
  // it has sent until now is lost.
  void greet() { ack_now_ = true; }
  // The connection to the peer broke: what was on its way is probably lost, so the peer is asked by the next.
  void broken() {
    patience_ = kProbeAfter;
    if (in_flight_ > 0 && last_received_ != 0) probe_wanted_ = true;
  }
  // This process is about to end: acknowledges at once, so that the peer need not probe.
  void close() {
    if (received_ > 0) ack_now_ = true;
  }

  bool drained() const { return unacknowledged_.empty(); }
  // The peer has taken the first message, or there was none.
  bool was_answered() const { return unacknowledged_.empty() || unacknowledged_.front().sequence > 1; }
  // Anything was submitted yet.
  bool has_spoken() const { return next_sequence_ > 1; }
  // More waits than may.
  bool overfull() const {
    return queued_bytes_ > kQueueBytesMost + largest_ || unacknowledged_.size() > kQueueMessagesMost;
  }
  std::size_t queued_bytes() const { return queued_bytes_; }
  std::string queued() const {  // for people
    return std::to_string(queued_bytes_) + " bytes in " + std::to_string(queued_messages_) + " messages";
  }
  // Whether tick() is wanted soon: something is on its way, or an acknowledgement is owed.
  bool busy() const { return !unacknowledged_.empty() || owes_ack_ > 0; }
  Nanoseconds last_received() const { return last_received_; }
  // How long nothing of what was sent has been acknowledged; 0 if nothing is to be.
  Nanoseconds deaf_for(Nanoseconds now) const { return in_flight_ == 0 ? 0 : now - waits_since_; }

  struct Counters {
    std::uint64_t sent_bytes = 0, resent = 0, repeated = 0, ahead = 0, stale = 0;
  };
  const Counters& counters() const { return counters_; }

 private:
  struct Outgoing {
    Kind kind;
    NodeId from, to;
    std::uint64_t sequence;
    Frames message;
    std::size_t bytes;
    bool ends_message;  // not a piece that others follow
    std::uint64_t era;
  };

  void queue(Outgoing out);
  Frames dress(Kind kind, NodeId from, NodeId to, std::uint64_t sequence, const Frames& message, std::uint64_t era,
               Covers covers);
  void acknowledge(std::uint64_t upto, Nanoseconds now);
  Arrived receive_own(const Header& header, const Frames& body);
  Arrived deliver(const Header& header, const Frames& body);
  bool window_open() const;
  void send_again();

  Self self_;
  NodeId peer_;
  std::uint64_t peer_incarnation_;  // 0: any, until the first message

  std::deque<Outgoing> unacknowledged_;  // in order; the first `in_flight_` of them are with the transport
  std::size_t queued_bytes_ = 0;         // of all of them
  std::size_t queued_messages_ = 0;      // that they are, or are pieces of
  std::size_t largest_ = 0;              // bytes of the largest message since the queue was empty
  std::size_t in_flight_ = 0;
  std::size_t in_flight_bytes_ = 0;
  std::size_t window_ = kWindowMessages;
  bool acknowledged_amid_ = false;  // a message of which not all pieces are acknowledged
  std::uint64_t next_sequence_ = 1;
  std::uint64_t highest_sent_ = 0;

  std::uint64_t received_ = 0;     // all the peer's messages up to this one
  Joiner joiner_;                  // of a message that comes in pieces
  std::uint64_t owes_ack_ = 0;     // messages received and not yet acknowledged
  std::size_t owes_bytes_ = 0;     // and their bytes
  std::uint64_t answer_ = 0;       // the probe to answer, or 0
  std::uint64_t last_answer_ = 0;  // what the last acknowledgement answered
  bool ack_now_ = false;

  std::uint64_t probe_ = 0;         // number of the last probe
  std::uint64_t probe_covers_ = 0;  // highest sequence sent before it
  bool probe_wanted_ = false;
  Nanoseconds quiet_since_ = 0;  // last progress, or last probe
  Nanoseconds waits_since_ = 0;  // last progress, or when something was sent while nothing was in flight
  Nanoseconds patience_ = kProbeAfter;
  Nanoseconds last_received_ = 0;
  enum class Last { none, data, ack, probe } last_ = Last::none;
  Counters counters_;
};

}  // namespace rota
