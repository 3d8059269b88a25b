// core/wire/zmq_transport.h -- frames between processes: over ZeroMQ, and in a job of one machine through shared memory
// (ring_peers.h), so that a message wakes its receiver and no thread in between.
//
// Every process receives on one ROUTER, its listening socket, and sends on one DEALER per peer.  Almost nothing is sent
// on a ROUTER, which does not report back-pressure per peer.  A DEALER belongs to one peer and reports its
// back-pressure (EAGAIN) and disconnection.  A guest, which only asks, binds nothing and gets its answer over its own
// connection: it need not be reachable, and no process connects to it.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/wire/address.h"
#include "core/wire/keys.h"
#include "core/wire/transport.h"

namespace rota {

class ZmqTransport : public Transport {
 public:
  // Messages over `message_bytes_max` are cut off.  ExitCode::usage if it cannot listen there because of what `at` is:
  // in use, say, or not of this machine.  With keys, tcp is authenticated and encrypted (CURVE): no byte of a peer
  // without a role's key reaches receive(), and every message has an origin with the role of its key.  ipc stays plain.
  // A tcp connection on which nothing was acknowledged for `silence_most` is closed and reconnected; 0: the system's
  // own timeout, a quarter of an hour.
  static Result<std::unique_ptr<ZmqTransport>> open(const Listening& at, std::size_t message_bytes_max,
                                                    std::shared_ptr<const Keys> keys = nullptr,
                                                    Nanoseconds silence_most = 0);
  // A separate connection to one process of a role, for one other thread, which must stop using it before this
  // transport ends: messages on it need no answer.  False: not now.
  virtual std::function<bool(const Frames&)> side_channel(Role role, const std::string& endpoint) = 0;

  // Messages that broke the limits and were dropped: received ones and, where there are rings, those to send.
  virtual std::uint64_t dropped() const = 0;
};

}  // namespace rota
