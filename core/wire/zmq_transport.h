// core/wire/zmq_transport.h -- frames between processes over ZeroMQ; the only door to it.
//
// Every process binds one ROUTER, its listening socket, and connects one DEALER to that of each peer it speaks to: so
// next to nothing is ever sent on a ROUTER, where a peer's back-pressure is not known by name, and a DEALER belongs to
// one peer, whose back-pressure (EAGAIN) and disconnection are.  A guest, who only asks, binds nothing and gets its
// answer by the connection that it made: it need not be reachable, and nobody is made to connect to it.
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
  // in use, say, or not of this machine.  With keys, tcp is authenticated and encrypted (CURVE): nobody without a key
  // of a role gets a byte as far as receive(), and every message has an origin with the role of its key.  ipc stays
  // plain.  A tcp connection on which nothing was acknowledged for `silence_most` is given up, and made anew; 0: the
  // system's own patience, which is a quarter of an hour.
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
  TurnedAway turned_away() const override;

  // A way of its own to one process of a role, for one other thread, which must be done with it before this transport
  // ends: what is said there needs no answer.  False: not now.
  std::function<bool(const Frames&)> voice(Role role, const std::string& endpoint);

  // Messages that broke the limits and were dropped.
  std::uint64_t dropped() const;

 private:
  struct Sockets;
  explicit ZmqTransport(std::unique_ptr<Sockets> sockets);
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace rota
