// core/wire/zmq_listener.h -- the ROUTER on which a process receives.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <zmq.hpp>

#include "core/wire/address.h"
#include "core/wire/authenticator.h"
#include "core/wire/keys.h"
#include "core/wire/transport.h"
#include "core/wire/zmq_frames.h"

namespace rota {

// What every socket of a process has.  The reasons are in PROTOCOL.md, "ZeroMQ".
constexpr int kHighWaterMark = 1000;
constexpr int kHandshakeMs = 5000;

class ZmqListener {
 public:
  ZmqListener(zmq::context_t& context, std::size_t message_bytes_max);

  // With keys, tcp connections are authenticated.  Throws zmq::error_t.
  void bind(const Listening& at, const Keys* keys);
  // "" before bind().
  const std::string& endpoint() const { return endpoint_; }

  ReceivedFrames receive();
  // Of the last message.
  const Origin& origin() const { return origin_; }
  // Over the connection on which a message of this origin came.  If it is closed, the answer is dropped.
  bool answer(const std::string& reply, const Frames& frames);

  Transport::RejectedConnections rejected_connections();
  void* handle() { return socket_.handle(); }

 private:
  // The connections that found no descriptor, of this process, before this began and when last asked.
  const std::uint64_t no_room_before_;
  std::uint64_t no_room_ = 0;
  const std::size_t message_bytes_max_;
  zmq::context_t& context_;
  zmq::socket_t socket_;
  std::unique_ptr<Authenticator> authenticator_;
  std::string endpoint_;
  Origin origin_;
};

}  // namespace rota
