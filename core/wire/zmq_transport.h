// core/wire/zmq_transport.h -- frames between processes over ZeroMQ; the only door to it.
//
// Every process binds one ROUTER, its listening socket, and connects one DEALER to that of each peer it speaks to: so
// nothing is ever sent on a ROUTER, which drops silently when a peer is slow or unknown, and a DEALER belongs to one
// peer, whose back-pressure (EAGAIN) and disconnection are known by name.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/wire/transport.h"

namespace rota {

class ZmqTransport final : public Transport {
 public:
  // `bind`: "ipc://PATH", or "tcp://HOST:*" for a port that is free.  Messages over `message_bytes_max` are cut off.
  static Result<std::unique_ptr<ZmqTransport>> open(const std::string& bind, std::size_t message_bytes_max);
  ~ZmqTransport() override;
  ZmqTransport(const ZmqTransport&) = delete;
  ZmqTransport& operator=(const ZmqTransport&) = delete;

  const std::string& endpoint() const override;
  bool send(NodeId peer, const std::string& endpoint, const Frames& frames) override;
  void forget(NodeId peer) override;
  std::optional<Frames> receive() override;
  Events wait(int timeout_ms) override;
  void wake() override;

  // A way of its own to one peer, for one other thread, which must be done with it before this transport ends: what is
  // said there needs no answer.  False: not now.
  std::function<bool(const Frames&)> voice(const std::string& endpoint);

  // Messages that broke the limits and were dropped.
  std::uint64_t dropped() const;

 private:
  struct Sockets;
  explicit ZmqTransport(std::unique_ptr<Sockets> sockets);
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace rota
