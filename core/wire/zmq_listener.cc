#include "core/wire/zmq_listener.h"

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>

#include "core/wire/connection_limit.h"

namespace rota {

namespace {

// The role that the authenticator gave a connection.
std::optional<Role> key_of(zmq::message_t& message) {
  try {
    const std::string_view name = message.gets("User-Id");
    for (int number = 1; number <= static_cast<int>(kLastRole); ++number)
      if (const auto role = static_cast<Role>(number); name == role_name(role)) return role;
  } catch (const zmq::error_t&) {
  }
  return std::nullopt;
}

std::string any_port(const std::string& number) {
  const std::string text = TcpAddress{number, 0}.text();
  return text.substr(0, text.rfind(':')) + ":*";
}

}  // namespace

ZmqListener::ZmqListener(zmq::context_t& context, std::size_t message_bytes_max)
    : no_room_before_(without_room()),
      message_bytes_max_(message_bytes_max),
      context_(context),
      socket_(context, zmq::socket_type::router) {
  socket_.set(zmq::sockopt::linger, 0);
  socket_.set(zmq::sockopt::rcvhwm, kHighWaterMark);
  socket_.set(zmq::sockopt::router_mandatory, 1);
  socket_.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(message_bytes_max));
  socket_.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
}

void ZmqListener::bind(const Listening& at, const Keys* keys) {
  if (!at.ipc.empty()) {
    socket_.bind(at.ipc);
    endpoint_ = socket_.get(zmq::sockopt::last_endpoint);
  }
  if (at.numbers.empty()) return;
  if (keys != nullptr) {
    authenticator_ = std::make_unique<Authenticator>(context_, socket_, *keys);
    socket_.set(zmq::sockopt::zap_domain, "rota");
    socket_.set(zmq::sockopt::curve_server, true);
    socket_.set(zmq::sockopt::curve_secretkey, keys->secret);
  }
  std::uint16_t port = at.port;
  for (const std::string& number : at.numbers) {
    // ZeroMQ falls back to IPv4 where a machine has nothing else.
    socket_.set(zmq::sockopt::ipv6, number == kAllInterfaces || number.find(':') != number.npos);
    socket_.bind(port == 0 ? any_port(number) : TcpAddress{number, port}.text());
    const std::string bound = socket_.get(zmq::sockopt::last_endpoint);
    port = static_cast<std::uint16_t>(std::strtoul(bound.c_str() + bound.rfind(':') + 1, nullptr, 10));
  }
  endpoint_ = TcpAddress{at.advertised.host, at.advertised.port == 0 ? port : at.advertised.port}.text();
}

ReceivedFrames ZmqListener::receive() {
  zmq::message_t sender;
  if (!socket_.recv(sender, zmq::recv_flags::dontwait)) return {};
  origin_ = {std::string(kReplyScheme) + sender.to_string(), std::nullopt};
  if (!sender.more()) return {true, !authenticator_, {}};
  ReceivedFrames got = receive_frames(socket_, message_bytes_max_, [this](zmq::message_t& frame) {
    // The routing id's frame has lost its metadata if ZeroMQ polled for messages before it was read.
    if (authenticator_ && !origin_.key) origin_.key = key_of(frame);
  });
  got.any = true;
  // With a authenticator no connection lacks a key.  If one did, its messages must be dropped.
  if (authenticator_ && !origin_.key) got.fits = false;
  return got;
}

bool ZmqListener::answer(const std::string& reply, const Frames& frames) {
  try {
    const std::string_view id = std::string_view(reply).substr(kReplyScheme.size());
    if (!socket_.send(zmq::buffer(id), zmq::send_flags::sndmore | zmq::send_flags::dontwait)) return false;
    return send_whole(socket_, frames);
  } catch (const zmq::error_t& error) {
    return error.num() == EHOSTUNREACH;
  }
}

Transport::RejectedConnections ZmqListener::rejected_connections() {
  const std::uint64_t no_room = without_room() - no_room_before_;
  Transport::RejectedConnections away = {no_room, "there is no room for more connections (ulimit -n)"};
  if (authenticator_) {
    away.count += authenticator_->rejected_connections();
    if (no_room == std::exchange(no_room_, no_room)) away.last = authenticator_->last();
  }
  return away;
}

}  // namespace rota
