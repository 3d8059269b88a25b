// wire/zmq_transport.h -- frames between processes over ZeroMQ; the only door to it.
//
// Every process binds one ROUTER, its ear, and connects one DEALER to the ear of each peer it speaks to: so nothing is
// ever sent on a ROUTER, which drops silently when a peer is slow or unknown, and a DEALER belongs to one peer, whose
// back-pressure (EAGAIN) and disconnection are known by name.  At-most-once: wire/link.h makes it reliable.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "wire/codec.h"
#include "wire/node_id.h"

namespace rota {

// One thread uses it, but for wake(), which any thread and a signal handler may call.
class ZmqTransport {
 public:
  // `bind`: "ipc://PATH", or "tcp://HOST:*" for a port that is free.  Messages over `message_bytes_max` are cut off.
  static Result<std::unique_ptr<ZmqTransport>> open(const std::string& bind, std::size_t message_bytes_max);
  ~ZmqTransport();
  ZmqTransport(const ZmqTransport&) = delete;
  ZmqTransport& operator=(const ZmqTransport&) = delete;

  // Where peers reach this process.
  const std::string& endpoint() const;

  // False if the peer's connection takes nothing now; the frames were not sent.
  bool send(NodeId peer, const std::string& endpoint, const Frames& frames);
  // The next message that is there, if any.
  std::optional<Frames> receive();

  struct Events {
    std::vector<NodeId> writable;      // peers that refused and would take more now
    std::vector<NodeId> disconnected;  // peers whose connection broke
  };
  // Blocks until something arrives, a peer becomes writable, wake() is called, or the time is over.
  Events wait(int timeout_ms);
  void wake();

  // Messages that broke the limits and were dropped.
  std::uint64_t dropped() const;

 private:
  struct Sockets;
  explicit ZmqTransport(std::unique_ptr<Sockets> sockets);
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace rota
