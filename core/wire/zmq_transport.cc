#include "core/wire/zmq_transport.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <zmq.hpp>

#include "core/wire/zmq_frames.h"
#include "core/wire/zmq_listener.h"

namespace rota {

namespace {

// The settings, and why, are in PROTOCOL.md, "ZeroMQ".
constexpr int kReconnectMs = 100;
constexpr int kReconnectMostMs = 2000;
constexpr int kLingerMs = 500;
// Of a local connection.  The system's own is 208 KiB: a larger message would be passed on by several turns of wakings.
constexpr int kSendBuffer = 2 << 20;

// ZeroMQ has no option for it that works over ipc.  TCP tunes the size itself.
void widen(int connection) {
  ::setsockopt(connection, SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
}

// Names and numbers of IPv6 want an option, and numbers of IPv4 are better without it: they would be written as parts
// of IPv6.
bool wants_ipv6(const std::string& endpoint) {
  auto address = tcp_address(endpoint);
  if (!address.ok()) return false;
  if (address->host.find(':') != address->host.npos) return true;
  return address->host.find_first_not_of("0123456789.") != address->host.npos && has_ipv6();
}

// Why keys do not fit, as reported to the connecting side; "" for any other failure.
std::string misfit(std::uint16_t event, std::int32_t value) {
  if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) return "it does not know this key";
  if (event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL && value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH)
    return "only one side has keys";
  return "";
}

// A configuration error: the user can fix it, and a retry would not help.
Status cannot_listen(const std::string& at, int error) {
  const std::string what = "cannot listen at " + at + ": ";
  if (error == EADDRINUSE)
    return {ExitCode::usage, what + "it is in use; port 0 finds a free one, and `ss -lntp` tells who has it"};
  if (error == EADDRNOTAVAIL) return {ExitCode::usage, what + "it is no address of this machine"};
  const bool forbidden = error == EACCES || error == EPERM;
  const bool its_fault = error == ENODEV || error == EINVAL || error == ENAMETOOLONG || error == ENOENT;
  const ExitCode code = forbidden ? ExitCode::not_authorised : its_fault ? ExitCode::usage : ExitCode::failed;
  return {code, what + zmq_strerror(error)};
}

}  // namespace

struct ZmqTransport::Sockets {
  struct Outgoing {
    Outgoing(std::string to, zmq::socket_t sending, zmq::socket_t watching)
        : endpoint(std::move(to)), socket(std::move(sending)), monitor(std::move(watching)) {}
    // Stop the events before closing their reader.  Otherwise ZeroMQ's thread may be sending one, and would leak a
    // frame that is never received.
    ~Outgoing() {
      if (monitor) zmq_socket_monitor(socket.handle(), nullptr, 0);
    }
    Outgoing(const Outgoing&) = delete;
    Outgoing& operator=(const Outgoing&) = delete;

    std::string endpoint;
    zmq::socket_t socket;
    zmq::socket_t monitor;
    bool full = false;
  };

  Sockets(std::size_t bytes_max, std::shared_ptr<const Keys> own_keys, Nanoseconds silence)
      : message_bytes_max(bytes_max), keys(std::move(own_keys)), silence_most(silence) {}
  ~Sockets() {
    if (wake_fd >= 0) ::close(wake_fd);
  }

  const std::size_t message_bytes_max;
  const std::shared_ptr<const Keys> keys;
  const Nanoseconds silence_most;
  zmq::context_t context{1};
  ZmqListener listener{context, message_bytes_max};
  std::map<NodeId, Outgoing> outgoing_sockets;
  std::uint64_t monitors = 0;
  std::uint64_t dropped = 0;
  int wake_fd = -1;

  bool listens() const { return !listener.endpoint().empty(); }

  // For connecting to a process of a role.
  void prepare(zmq::socket_t& socket, Role role, const std::string& to) const {
    socket.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
    if (wants_ipv6(to)) socket.set(zmq::sockopt::ipv6, true);
    // A firewall that dropped the connection, or a machine that rebooted, may send no reset.
    if (silence_most > 0) socket.set(zmq::sockopt::tcp_maxrt, static_cast<int>(silence_most / kMillisecond));
    if (!keys || !to.starts_with(kTcpScheme)) return;
    const auto server = keys->known.find(role);
    if (server == keys->known.end()) throw zmq::error_t();
    socket.set(zmq::sockopt::curve_serverkey, server->second);
    socket.set(zmq::sockopt::curve_publickey, keys->own());
    socket.set(zmq::sockopt::curve_secretkey, keys->secret);
  }

  // For a process without a listening socket.
  ReceivedFrames receive_answer() {
    for (auto& [id, outgoing] : outgoing_sockets)
      if (ReceivedFrames got = receive_frames(outgoing.socket, message_bytes_max); got.any) return got;
    return {};
  }

  Outgoing& outgoing(NodeId peer, const std::string& to) {
    const auto found = outgoing_sockets.find(peer);
    if (found != outgoing_sockets.end() && found->second.endpoint == to) return found->second;
    if (found != outgoing_sockets.end()) outgoing_sockets.erase(found);
    zmq::socket_t socket(context, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, kLingerMs);
    socket.set(zmq::sockopt::sndhwm, kHighWaterMark);
    socket.set(zmq::sockopt::immediate, 1);
    socket.set(zmq::sockopt::reconnect_ivl, kReconnectMs);
    socket.set(zmq::sockopt::reconnect_ivl_max, kReconnectMostMs);
    socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(message_bytes_max));
    prepare(socket, peer.role, to);
    zmq::socket_t monitor;
    // A peer that was refused needs no monitor: its disconnection changes nothing.
    if (peer.index < kIndexLimit) {
      const std::string name = "inproc://monitor-" + std::to_string(monitors++);
      zmq_socket_monitor(socket.handle(), name.c_str(),
                         ZMQ_EVENT_CONNECTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                             ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
      monitor = zmq::socket_t(context, zmq::socket_type::pair);
      monitor.connect(name);
    }
    // After the monitor: a rejected key is reported once, and ZeroMQ does not try again.
    socket.connect(to);
    return outgoing_sockets.try_emplace(peer, to, std::move(socket), std::move(monitor)).first->second;
  }
};

ZmqTransport::ZmqTransport(std::unique_ptr<Sockets> sockets) : sockets_(std::move(sockets)) {}
ZmqTransport::~ZmqTransport() = default;

Result<std::unique_ptr<ZmqTransport>> ZmqTransport::open(const Listening& at, std::size_t message_bytes_max,
                                                         std::shared_ptr<const Keys> keys, Nanoseconds silence_most) {
  try {
    auto sockets = std::make_unique<Sockets>(message_bytes_max, std::move(keys), silence_most);
    sockets->wake_fd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (sockets->wake_fd < 0) return Status(ExitCode::failed, "cannot make an eventfd");
    sockets->listener.bind(at, sockets->keys.get());
    return std::unique_ptr<ZmqTransport>(new ZmqTransport(std::move(sockets)));
  } catch (const zmq::error_t& error) {
    const std::string number = at.numbers.empty() ? "" : at.numbers.front();
    return cannot_listen(at.ipc.empty() ? TcpAddress{number, at.port}.text() : at.ipc, error.num());
  }
}

const std::string& ZmqTransport::endpoint() const {
  return sockets_->listener.endpoint();
}

bool ZmqTransport::send(NodeId peer, const std::string& endpoint, const Frames& frames) {
  if (endpoint.starts_with(kReplyScheme)) return sockets_->listener.answer(endpoint, frames);
  // An endpoint named by a peer cannot make this process connect without keys, or open a socket file.
  const bool other_kind = endpoint.starts_with(kTcpScheme) != sockets_->listener.endpoint().starts_with(kTcpScheme);
  if (sockets_->listens() && other_kind) return false;
  try {
    Sockets::Outgoing& outgoing = sockets_->outgoing(peer, endpoint);
    outgoing.full = !send_whole(outgoing.socket, frames);
    return !outgoing.full;
  } catch (const zmq::error_t&) {
    return false;  // same as a peer that does not answer: its link's timeouts detect it
  }
}

std::optional<Frames> ZmqTransport::receive() {
  for (;;) {
    ReceivedFrames got = sockets_->listens() ? sockets_->listener.receive() : sockets_->receive_answer();
    if (!got.any) return std::nullopt;
    if (got.fits) return std::move(got.frames);
    ++sockets_->dropped;
  }
}

Origin ZmqTransport::origin() const {
  return sockets_->listener.origin();
}

Transport::Events ZmqTransport::wait(int timeout_ms) {
  std::vector<zmq::pollitem_t> items;
  std::vector<NodeId> owners;
  items.push_back({sockets_->listener.handle(), 0, ZMQ_POLLIN, 0});
  items.push_back({nullptr, sockets_->wake_fd, ZMQ_POLLIN, 0});
  for (auto& [id, outgoing] : sockets_->outgoing_sockets) {
    const int awaited = (outgoing.full ? ZMQ_POLLOUT : 0) | (sockets_->listens() ? 0 : ZMQ_POLLIN);
    if (awaited == 0) continue;
    items.push_back({outgoing.socket.handle(), 0, static_cast<short>(awaited), 0});
    owners.push_back(id);
  }
  std::vector<NodeId> watched;
  for (auto& [id, outgoing] : sockets_->outgoing_sockets) {
    if (!outgoing.monitor) continue;
    items.push_back({outgoing.monitor.handle(), 0, ZMQ_POLLIN, 0});
    watched.push_back(id);
  }
  Events events;
  if (zmq_poll(items.data(), static_cast<int>(items.size()), timeout_ms) <= 0) return events;
  if ((items[1].revents & ZMQ_POLLIN) != 0) {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto read = ::read(sockets_->wake_fd, &count, sizeof count);
  }
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if ((items[2 + i].revents & ZMQ_POLLOUT) == 0) continue;
    sockets_->outgoing_sockets.at(owners[i]).full = false;
    events.writable.push_back(owners[i]);
  }
  for (std::size_t i = 0; i < watched.size(); ++i) {
    if ((items[2 + owners.size() + i].revents & ZMQ_POLLIN) == 0) continue;
    Sockets::Outgoing& outgoing = sockets_->outgoing_sockets.at(watched[i]);
    bool broke = false;
    zmq::message_t part;  // two frames: the event, the address
    while (outgoing.monitor.recv(part, zmq::recv_flags::dontwait)) {
      if (!part.more()) continue;
      Reader event(std::as_bytes(std::span(part.data<char>(), part.size())));
      const auto what = event.get<std::uint16_t>();
      const auto value = event.get<std::int32_t>();
      if (what == ZMQ_EVENT_DISCONNECTED) broke = true;
      if (what == ZMQ_EVENT_CONNECTED && outgoing.endpoint.starts_with(kIpcScheme)) widen(value);
      if (auto why = misfit(what, value); !why.empty()) events.refused.emplace_back(watched[i], std::move(why));
    }
    if (broke) events.disconnected.push_back(watched[i]);
  }
  return events;
}

std::function<bool(const Frames&)> ZmqTransport::side_channel(Role role, const std::string& endpoint) {
  // Created by the first sender, as a socket belongs to one thread.
  const auto socket = std::make_shared<zmq::socket_t>();
  return [this, socket, role, endpoint](const Frames& frames) {
    try {
      if (!*socket) {
        *socket = zmq::socket_t(sockets_->context, zmq::socket_type::dealer);
        socket->set(zmq::sockopt::linger, 0);
        socket->set(zmq::sockopt::immediate, 1);
        sockets_->prepare(*socket, role, endpoint);
        socket->connect(endpoint);
      }
      return send_whole(*socket, frames);
    } catch (const zmq::error_t&) {
      return false;
    }
  };
}

void ZmqTransport::forget(NodeId peer) {
  sockets_->outgoing_sockets.erase(peer);
}

void ZmqTransport::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(sockets_->wake_fd, &one, sizeof one);
}

Transport::RejectedConnections ZmqTransport::rejected_connections() const {
  return sockets_->listener.rejected_connections();
}

std::uint64_t ZmqTransport::dropped() const {
  return sockets_->dropped;
}

}  // namespace rota
