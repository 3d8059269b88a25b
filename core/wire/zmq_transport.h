// core/wire/zmq_transport.h -- frames between processes over ZeroMQ.
//
// Every process receives on one ROUTER, its listening socket, and sends on one DEALER per peer.  Almost nothing is sent
// on a ROUTER, which does not report back-pressure per peer.  A DEALER belongs to one peer and reports its
// back-pressure (EAGAIN) and disconnection.  A guest, which only asks, binds nothing and gets its answer over its own
// connection: it need not be reachable, and no process connects to it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "core/wire/address.h"
#include "core/wire/keys.h"
#include "core/wire/transport.h"

namespace rota {

class ZmqTransport final : public Transport {
 public:
  // Messages over `message_bytes_max` are cut off.  ExitCode::usage if it cannot listen there because of what `at` is:
  // in use, say, or not of this machine.  With keys, tcp is authenticated and encrypted (CURVE): no byte of a peer
  // without a role's key reaches receive(), and every message has an origin with the role of its key.  ipc stays plain.
  // A tcp connection on which nothing was acknowledged for `silence_most` is closed and reconnected; 0: the system's
  // own timeout, a quarter of an hour.
  static Result<std::unique_ptr<ZmqTransport>> open(const Listening& at, std::size_t message_bytes_max,
                                                    std::shared_ptr<const Keys> keys = nullptr,
                                                    Nanoseconds silence_most = 0);
  ~ZmqTransport() override;
  ZmqTransport(const ZmqTransport&) = delete;
  ZmqTransport& operator=(const ZmqTransport&) = delete;

  const std::string& endpoint() const override;
  bool send(NodeId peer, const std::string& endpoint, const Frames& frames) override;
  void forget(NodeId peer) override;
  std::optional<Frames> receive() override;
  Origin origin() const override;
  Events wait(int timeout_ms) override;
  void wake() override;
  RejectedConnections rejected_connections() const override;

  // A separate connection to one process of a role, for one other thread, which must stop using it before this
  // transport ends: messages on it need no answer.  False: not now.
  std::function<bool(const Frames&)> side_channel(Role role, const std::string& endpoint);

  // Messages that broke the limits and were dropped.
  std::uint64_t dropped() const;

 private:
  struct Sockets;
  explicit ZmqTransport(std::unique_ptr<Sockets> sockets);
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace rota
