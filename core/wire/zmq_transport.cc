#include "core/wire/zmq_transport.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <zmq.hpp>

#include "core/wire/connection_limit.h"
#include "core/wire/doorkeeper.h"

namespace rota {

namespace {

// The settings, and why, are in PROTOCOL.md, "ZeroMQ".
constexpr int kHighWaterMark = 1000;
constexpr int kHandshakeMs = 5000;
constexpr int kReconnectMs = 100;
constexpr int kReconnectMostMs = 2000;
constexpr int kLingerMs = 500;
// Of a local connection.  The system's own is 208 KiB: a larger message would be passed on by several turns of wakings.
constexpr int kSendBuffer = 2 << 20;

// ZeroMQ has no option for it that works over ipc.  TCP tunes the size itself.
void widen(int connection) {
  ::setsockopt(connection, SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
}
constexpr std::size_t kCopyBelow = 4096;  // a smaller frame is copied: cheaper than counting references

zmq::message_t message_of(const Bytes& bytes) {
  if (bytes.size() < kCopyBelow) return {bytes.view().data(), bytes.size()};
  // ZeroMQ reads the memory where it is, and frees our share of it when it is done.
  auto* keep = new Bytes(bytes);
  auto* data = const_cast<std::byte*>(bytes.view().data());  // the interface has no const; ZeroMQ does not write
  return {data, bytes.size(), [](void*, void* hint) { delete static_cast<Bytes*>(hint); }, keep};
}

Bytes bytes_of(zmq::message_t message) {
  auto owner = std::make_shared<zmq::message_t>(std::move(message));
  return {owner, {static_cast<const std::byte*>(owner->data()), owner->size()}};
}

// Frames of one message to a socket, of which only the first can be refused: ZeroMQ takes a message whole or not at
// all.
bool send_whole(zmq::socket_t& socket, const Frames& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto more = i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
    if (!socket.send(message_of(frames[i]), more | zmq::send_flags::dontwait)) return false;
  }
  return true;
}

// Names and numbers of IPv6 want an option, and numbers of IPv4 are better without it: they would be written as parts
// of IPv6.
bool wants_ipv6(const std::string& endpoint) {
  auto address = tcp_address(endpoint);
  if (!address.ok()) return false;
  if (address->host.find(':') != address->host.npos) return true;
  return address->host.find_first_not_of("0123456789.") != address->host.npos && has_ipv6();
}

// The role that the doorkeeper gave a connection.
std::optional<Role> key_of(zmq::message_t& message) {
  try {
    const std::string_view name = message.gets("User-Id");
    for (int number = 1; number <= static_cast<int>(kLastRole); ++number)
      if (const auto role = static_cast<Role>(number); name == role_name(role)) return role;
  } catch (const zmq::error_t&) {
  }
  return std::nullopt;
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

  zmq::context_t context{1};
  std::shared_ptr<const Keys> keys;
  zmq::socket_t listening{context, zmq::socket_type::router};
  std::unique_ptr<Doorkeeper> doorkeeper;
  std::map<NodeId, Outgoing> outgoing_sockets;
  std::string endpoint;
  Origin origin;
  std::size_t message_bytes_max = 0;
  Nanoseconds silence_most = 0;
  std::atomic<std::uint64_t> dropped{0};
  std::uint64_t monitors = 0;
  const std::uint64_t no_room_before = without_room();  // connections of this process, when this began
  std::uint64_t no_room = 0;                            // and since then, when the loop looked last
  int wake_fd = -1;

  ~Sockets() {
    if (wake_fd >= 0) ::close(wake_fd);
  }

  bool listens() const { return !endpoint.empty(); }

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

  // Admits only peers with a known key.
  void guard() {
    doorkeeper = std::make_unique<Doorkeeper>(context, listening, *keys);
    listening.set(zmq::sockopt::zap_domain, "rota");
    listening.set(zmq::sockopt::curve_server, true);
    listening.set(zmq::sockopt::curve_secretkey, keys->secret);
  }

  // Throws zmq::error_t.
  void bind(const Listening& at) {
    listening.set(zmq::sockopt::linger, 0);
    listening.set(zmq::sockopt::rcvhwm, kHighWaterMark);
    listening.set(zmq::sockopt::router_mandatory, 1);
    listening.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(message_bytes_max));
    listening.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
    if (!at.ipc.empty()) {
      listening.bind(at.ipc);
      endpoint = listening.get(zmq::sockopt::last_endpoint);
    }
    if (keys && !at.numbers.empty()) guard();
    std::uint16_t port = at.port;
    for (const std::string& number : at.numbers) {
      // ZeroMQ falls back to IPv4 where a machine has nothing else.
      listening.set(zmq::sockopt::ipv6, number == kAllInterfaces || number.find(':') != number.npos);
      listening.bind(port == 0 ? any_port(number) : TcpAddress{number, port}.text());
      const std::string bound = listening.get(zmq::sockopt::last_endpoint);
      port = static_cast<std::uint16_t>(std::strtoul(bound.c_str() + bound.rfind(':') + 1, nullptr, 10));
    }
    if (at.numbers.empty()) return;
    endpoint = TcpAddress{at.told.host, at.told.port == 0 ? port : at.told.port}.text();
  }

  static std::string any_port(const std::string& number) {
    const std::string text = TcpAddress{number, 0}.text();
    return text.substr(0, text.rfind(':')) + ":*";
  }

  // Over the connection of the observer that asked.  If it is gone, the answer is dropped.
  bool answer(const std::string& to, const Frames& frames) {
    try {
      const std::string_view id = std::string_view(to).substr(kReplyScheme.size());
      if (!listening.send(zmq::buffer(id), zmq::send_flags::sndmore | zmq::send_flags::dontwait)) return false;
      return send_whole(listening, frames);
    } catch (const zmq::error_t& error) {
      return error.num() == EHOSTUNREACH;
    }
  }

  // The rest of a message of which one frame was read, or nothing if it breaks the limits: all frames of a message
  // arrive together, and those of such a one are read and thrown away.
  std::optional<Frames> read_rest(zmq::socket_t& socket, bool more, Frames frames) {
    std::size_t bytes = size_of(frames);
    bool fits = true;
    while (more) {
      zmq::message_t frame;
      if (!socket.recv(frame, zmq::recv_flags::dontwait)) break;
      // The routing id's frame has lost its metadata if ZeroMQ polled for messages before it was read.
      if (doorkeeper && !origin.key) origin.key = key_of(frame);
      more = frame.more();
      bytes += frame.size();
      fits = fits && frames.size() < kFramesMax && bytes <= message_bytes_max;
      if (fits)
        frames.push_back(bytes_of(std::move(frame)));
      else
        frames.clear();
    }
    if (fits) return frames;
    ++dropped;
    return std::nullopt;
  }

  // False: nothing is there.
  bool read_listening(std::optional<Frames>& frames) {
    zmq::message_t sender;
    if (!listening.recv(sender, zmq::recv_flags::dontwait)) return false;
    const bool more = sender.more();
    origin = {std::string(kReplyScheme) + sender.to_string(), std::nullopt};
    frames = read_rest(listening, more, {});
    // With a doorkeeper no connection lacks a key.  If one did, its messages must be dropped.
    if (doorkeeper && !origin.key) frames.reset(), ++dropped;
    return true;
  }

  // The same for a process without a listening socket.
  bool read_answers(std::optional<Frames>& frames) {
    for (auto& [id, outgoing] : outgoing_sockets) {
      zmq::message_t first;
      if (!outgoing.socket.recv(first, zmq::recv_flags::dontwait)) continue;
      const bool more = first.more();
      origin = {};
      Frames begun;
      begun.push_back(bytes_of(std::move(first)));
      frames = read_rest(outgoing.socket, more, std::move(begun));
      return true;
    }
    return false;
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
    auto sockets = std::make_unique<Sockets>();
    sockets->message_bytes_max = message_bytes_max;
    sockets->keys = std::move(keys);
    sockets->silence_most = silence_most;
    sockets->wake_fd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (sockets->wake_fd < 0) return Status(ExitCode::failed, "cannot make an eventfd");
    sockets->bind(at);
    return std::unique_ptr<ZmqTransport>(new ZmqTransport(std::move(sockets)));
  } catch (const zmq::error_t& error) {
    const std::string number = at.numbers.empty() ? "" : at.numbers.front();
    return cannot_listen(at.ipc.empty() ? TcpAddress{number, at.port}.text() : at.ipc, error.num());
  }
}

const std::string& ZmqTransport::endpoint() const {
  return sockets_->endpoint;
}

bool ZmqTransport::send(NodeId peer, const std::string& endpoint, const Frames& frames) {
  if (endpoint.starts_with(kReplyScheme)) return sockets_->answer(endpoint, frames);
  // An endpoint named by a peer cannot make this process connect without keys, or open a socket file.
  const bool other_kind = endpoint.starts_with(kTcpScheme) != sockets_->endpoint.starts_with(kTcpScheme);
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
  for (std::optional<Frames> frames;;) {
    if (!(sockets_->listens() ? sockets_->read_listening(frames) : sockets_->read_answers(frames))) return std::nullopt;
    if (frames) return frames;
  }
}

Origin ZmqTransport::origin() const {
  return sockets_->origin;
}

Transport::Events ZmqTransport::wait(int timeout_ms) {
  std::vector<zmq::pollitem_t> items;
  std::vector<NodeId> owners;
  items.push_back({sockets_->listening.handle(), 0, ZMQ_POLLIN, 0});
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

std::function<bool(const Frames&)> ZmqTransport::voice(Role role, const std::string& endpoint) {
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

Transport::TurnedAway ZmqTransport::turned_away() const {
  const std::uint64_t no_room = without_room() - sockets_->no_room_before;
  TurnedAway away = {no_room, "there is no room for more connections (ulimit -n)"};
  if (const auto& keeper = sockets_->doorkeeper) {
    away.count += keeper->turned_away();
    if (no_room == std::exchange(sockets_->no_room, no_room)) away.last = keeper->last();
  }
  return away;
}

std::uint64_t ZmqTransport::dropped() const {
  return sockets_->dropped;
}

}  // namespace rota
