// core/wire/transport.h -- what the loop of a process (process.h) wants of whatever carries frames between processes:
// ZeroMQ (zmq_transport.h), or the memory of one test program (tests/threads).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/wire/codec.h"
#include "core/wire/node_id.h"

namespace rota {

// An endpoint with this prefix is the connection on which a message arrived.  It is never received from a peer.
inline constexpr std::string_view kReplyScheme = "reply:";

// The origin of a message, as far as the transport has it.
struct Origin {
  std::string reply = {};        // an endpoint for answers by the same connection; ""
  std::optional<Role> key = {};  // whose key the sender has, where connections have keys
};

// One thread uses it, but for wake(), which any thread and a signal handler may call.  At-most-once: core/wire/link.h
// makes it reliable.
class Transport {
 public:
  virtual ~Transport() = default;

  // Where peers reach this process; "" if it has no listening socket, and receives only answers on its own connections.
  virtual const std::string& endpoint() const = 0;
  // False if the peer's connection takes nothing now; the frames were not sent.
  virtual bool send(NodeId peer, const std::string& endpoint, const Frames& frames) = 0;
  // Wakes the peers that were sent something since the last call; wait() does it too.
  virtual void flush() {}
  // Closes the connection to a peer, whose last message may still be in flight; it is reopened when needed.
  virtual void forget(NodeId /*peer*/) {}
  // The next message that is there, if any.
  virtual std::optional<Frames> receive() = 0;
  // Of the message that receive() gave last.
  virtual Origin origin() const { return {}; }

  struct Events {
    std::vector<NodeId> writable;                         // peers that refused and would take more now
    std::vector<NodeId> disconnected;                     // peers whose connection broke
    std::vector<std::pair<NodeId, std::string>> refused;  // peers with which keys do not fit, and why
  };
  // Blocks until something arrives, a peer becomes writable, wake() is called, or the time is over.
  virtual Events wait(int timeout_ms) = 0;
  virtual void wake() = 0;
  // Looks for messages for at most this long without sleeping: whether one has come, or wake() was called.  False at
  // once if this transport cannot look, or if a peer that refused may take more soon.
  virtual bool poll(Nanoseconds /*most*/) { return false; }

  // How many unknown peers were rejected before they could send a message, and the last one.
  struct RejectedConnections {
    std::uint64_t count = 0;
    std::string last = {};
  };
  virtual RejectedConnections rejected_connections() { return {}; }
};

}  // namespace rota
