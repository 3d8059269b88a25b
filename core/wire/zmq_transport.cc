#include "core/wire/zmq_transport.h"

#include <sched.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <zmq.hpp>

#include "core/base/files.h"
#include "core/wire/ring_peers.h"
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

// The connection to a peer.
struct Outgoing {
  Outgoing(std::string to, zmq::socket_t sending, zmq::socket_t watching)
      : endpoint(std::move(to)), socket(std::move(sending)), monitor(std::move(watching)) {}
  // Stop the events before closing their reader.  Otherwise ZeroMQ's thread may be sending one, and would leak a
  // frame that is never received.
  ~Outgoing() {
    if (monitor) zmq_socket_monitor(socket.handle(), nullptr, 0);
  }

  std::string endpoint;
  zmq::socket_t socket;
  zmq::socket_t monitor;
  bool full = false;
};

class Sockets final : public ZmqTransport {
 public:
  Sockets(std::size_t message_bytes_max, std::shared_ptr<const Keys> keys, Nanoseconds silence_most)
      : message_bytes_max_(message_bytes_max), keys_(std::move(keys)), silence_most_(silence_most) {}

  // Throws zmq::error_t.
  Status listen(const Listening& at) {
    if (!wake_.open()) throw zmq::error_t();
    // The rings first: to one who finds none, this is a process without them.
    if (!at.ipc.empty())
      if (auto rings = RingPeers::listen(at.ipc.substr(kIpcScheme.size()), wake_, message_bytes_max_); rings.ok())
        rings_ = *std::move(rings);
    listener_.bind(at, keys_.get());
    return {};
  }

  const std::string& endpoint() const override { return listener_.endpoint(); }
  Origin origin() const override { return from_ring_ ? Origin{} : listener_.origin(); }
  RejectedConnections rejected_connections() override { return listener_.rejected_connections(); }
  void forget(NodeId peer) override {
    outgoing_.erase(peer);
    if (rings_) rings_->forget(peer);
  }
  std::uint64_t dropped() const override { return dropped_; }

  bool send(NodeId peer, const std::string& endpoint, const Frames& frames) override {
    if (endpoint.starts_with(kReplyScheme)) return listener_.answer(endpoint, frames);
    // An endpoint named by a peer cannot make this process connect without keys, or open a socket file.
    const bool other_kind = endpoint.starts_with(kTcpScheme) != listener_.endpoint().starts_with(kTcpScheme);
    if (listens() && other_kind) return false;
    if (rings_ && peer.index < kIndexLimit) {
      if (frames.size() > kFramesMax || size_of(frames) > message_bytes_max_) return ++dropped_, true;
      const auto sent = rings_->send(peer, endpoint.substr(kIpcScheme.size()), frames);
      if (sent == RingPeers::Sent::yes && !outgoing_.empty()) outgoing_.erase(peer);
      if (sent != RingPeers::Sent::no_ring) return sent == RingPeers::Sent::yes;
    }
    try {
      Outgoing& to = outgoing(peer, endpoint);
      to.full = !send_whole(to.socket, frames);
      return !to.full;
    } catch (const zmq::error_t&) {
      return false;  // same as a peer that does not answer: its link's timeouts detect it
    }
  }

  void flush() override {
    if (rings_) rings_->flush();
  }

  std::optional<Frames> receive() override {
    // Rings that are never empty must not keep observers waiting.  An empty socket costs two system calls, so otherwise
    // sockets are read after wait() has seen something there.
    const bool sockets_first = ++received_ % 64 == 0;
    from_ring_ = false;
    if (sockets_first)
      if (auto frames = receive_from_sockets()) return frames;
    if (rings_)
      if (auto frames = rings_->receive()) {
        from_ring_ = true;
        return frames;
      }
    if (sockets_first || !sockets_ready_) return std::nullopt;
    auto frames = receive_from_sockets();
    if (!frames && rings_) sockets_ready_ = false;
    return frames;
  }

  void wake() override {
    // Either wait() sees this before it sleeps, or this sees that it does.
    woken_ = true;
    if (!sleeps_.exchange(false)) return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
  }

  bool poll(Nanoseconds most) override {
    if (!rings_ || rings_->refuses()) return false;
    for (const Nanoseconds end = now_ns() + most; now_ns() < end; ::sched_yield())
      if (rings_->ready() || woken_.exchange(false)) return true;
    return false;
  }

  Events wait(int timeout_ms) override {
    std::vector<zmq::pollitem_t> items{{listener_.handle(), 0, ZMQ_POLLIN, 0},
                                       {nullptr, wake_.get(), ZMQ_POLLIN, 0},
                                       {nullptr, rings_ ? rings_->descriptor() : wake_.get(), ZMQ_POLLIN, 0}};
    const std::size_t own = items.size();
    std::vector<NodeId> owners, watched;
    for (auto& [id, to] : outgoing_) {
      const int awaited = (to.full ? ZMQ_POLLOUT : 0) | (listens() ? 0 : ZMQ_POLLIN);
      if (awaited == 0) continue;
      items.push_back({to.socket.handle(), 0, static_cast<short>(awaited), 0});
      owners.push_back(id);
    }
    for (auto& [id, to] : outgoing_) {
      if (!to.monitor) continue;
      items.push_back({to.monitor.handle(), 0, ZMQ_POLLIN, 0});
      watched.push_back(id);
    }
    Events events;
    flush();
    sleeps_ = true;
    if (woken_ || (rings_ && !rings_->begin_sleep())) timeout_ms = 0;
    const int ready = zmq_poll(items.data(), static_cast<int>(items.size()), timeout_ms);
    sleeps_ = false;
    woken_ = false;
    if (rings_) {
      rings_->end_sleep();
      if (ready > 0 && (items[2].revents & ZMQ_POLLIN) != 0) rings_->handle_connections(events);
      rings_->resume(events);
    }
    if (ready <= 0) return events;
    if ((items[0].revents & ZMQ_POLLIN) != 0) sockets_ready_ = true;
    if ((items[1].revents & ZMQ_POLLIN) != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto read = ::read(wake_.get(), &count, sizeof count);
    }
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if ((items[own + i].revents & ZMQ_POLLOUT) == 0) continue;
      outgoing_.at(owners[i]).full = false;
      events.writable.push_back(owners[i]);
    }
    for (std::size_t i = 0; i < watched.size(); ++i)
      if ((items[own + owners.size() + i].revents & ZMQ_POLLIN) != 0) read_monitor(watched[i], events);
    return events;
  }

  std::function<bool(const Frames&)> side_channel(Role role, const std::string& endpoint) override {
    // Created by the first sender, as a socket belongs to one thread.
    const auto socket = std::make_shared<zmq::socket_t>();
    return [this, socket, role, endpoint](const Frames& frames) {
      try {
        if (!*socket) {
          *socket = zmq::socket_t(context_, zmq::socket_type::dealer);
          socket->set(zmq::sockopt::linger, 0);
          socket->set(zmq::sockopt::immediate, 1);
          prepare(*socket, role, endpoint);
          socket->connect(endpoint);
        }
        return send_whole(*socket, frames);
      } catch (const zmq::error_t&) {
        return false;
      }
    };
  }

 private:
  bool listens() const { return !listener_.endpoint().empty(); }

  // For connecting to a process of a role.
  void prepare(zmq::socket_t& socket, Role role, const std::string& to) const {
    socket.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
    if (wants_ipv6(to)) socket.set(zmq::sockopt::ipv6, true);
    // A firewall that dropped the connection, or a machine that rebooted, may send no reset.
    if (silence_most_ > 0) socket.set(zmq::sockopt::tcp_maxrt, static_cast<int>(silence_most_ / kMillisecond));
    if (!keys_ || !to.starts_with(kTcpScheme)) return;
    const auto server = keys_->known.find(role);
    if (server == keys_->known.end()) throw zmq::error_t();
    socket.set(zmq::sockopt::curve_serverkey, server->second);
    socket.set(zmq::sockopt::curve_publickey, keys_->own());
    socket.set(zmq::sockopt::curve_secretkey, keys_->secret);
  }

  std::optional<Frames> receive_from_sockets() {
    for (;; ++dropped_) {
      ReceivedFrames got = listens() ? listener_.receive() : receive_answer();
      if (!got.any) return std::nullopt;
      if (got.fits) return std::move(got.frames);
    }
  }

  // For a process without a listening socket.
  ReceivedFrames receive_answer() {
    for (auto& [id, to] : outgoing_)
      if (ReceivedFrames got = receive_frames(to.socket, message_bytes_max_); got.any) return got;
    return {};
  }

  Outgoing& outgoing(NodeId peer, const std::string& to) {
    const auto found = outgoing_.find(peer);
    if (found != outgoing_.end() && found->second.endpoint == to) return found->second;
    if (found != outgoing_.end()) outgoing_.erase(found);
    zmq::socket_t socket(context_, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, kLingerMs);
    socket.set(zmq::sockopt::sndhwm, kHighWaterMark);
    socket.set(zmq::sockopt::immediate, 1);
    socket.set(zmq::sockopt::reconnect_ivl, kReconnectMs);
    socket.set(zmq::sockopt::reconnect_ivl_max, kReconnectMostMs);
    socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(message_bytes_max_));
    prepare(socket, peer.role, to);
    zmq::socket_t monitor;
    // A peer that was refused needs no monitor: its disconnection changes nothing.
    if (peer.index < kIndexLimit) {
      const std::string name = "inproc://monitor-" + std::to_string(monitors_++);
      zmq_socket_monitor(socket.handle(), name.c_str(),
                         ZMQ_EVENT_CONNECTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                             ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL);
      monitor = zmq::socket_t(context_, zmq::socket_type::pair);
      monitor.connect(name);
    }
    // After the monitor: a rejected key is reported once, and ZeroMQ does not try again.
    socket.connect(to);
    return outgoing_.try_emplace(peer, to, std::move(socket), std::move(monitor)).first->second;
  }

  void read_monitor(NodeId peer, Events& events) {
    Outgoing& to = outgoing_.at(peer);
    bool broke = false;
    zmq::message_t part;  // two frames: the event, the address
    while (to.monitor.recv(part, zmq::recv_flags::dontwait)) {
      if (!part.more()) continue;
      Reader event(std::as_bytes(std::span(part.data<char>(), part.size())));
      const auto what = event.get<std::uint16_t>();
      const auto value = event.get<std::int32_t>();
      if (what == ZMQ_EVENT_DISCONNECTED) broke = true;
      // ZeroMQ has no option for it that works over ipc.  TCP tunes the size itself.
      if (what == ZMQ_EVENT_CONNECTED && to.endpoint.starts_with(kIpcScheme))
        ::setsockopt(value, SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
      if (auto why = misfit(what, value); !why.empty()) events.refused.emplace_back(peer, std::move(why));
    }
    if (broke) events.disconnected.push_back(peer);
  }

  const std::size_t message_bytes_max_;
  const std::shared_ptr<const Keys> keys_;
  const Nanoseconds silence_most_;
  const FileDescriptor wake_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  zmq::context_t context_{1};
  ZmqListener listener_{context_, message_bytes_max_};
  std::unique_ptr<RingPeers> rings_;  // over ipc
  std::uint64_t received_ = 0;
  bool from_ring_ = false;           // the last message
  bool sockets_ready_ = true;        // always, of a process without rings
  std::atomic<bool> woken_ = false;  // since poll() or wait() returned
  std::atomic<bool> sleeps_ = false;
  std::map<NodeId, Outgoing> outgoing_;
  std::uint64_t monitors_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace

Result<std::unique_ptr<ZmqTransport>> ZmqTransport::open(const Listening& at, std::size_t message_bytes_max,
                                                         std::shared_ptr<const Keys> keys, Nanoseconds silence_most) {
  try {
    auto sockets = std::make_unique<Sockets>(message_bytes_max, std::move(keys), silence_most);
    ROTA_TRY(sockets->listen(at));
    return std::unique_ptr<ZmqTransport>(std::move(sockets));
  } catch (const zmq::error_t& error) {
    const std::string number = at.numbers.empty() ? "" : at.numbers.front();
    return cannot_listen(at.ipc.empty() ? TcpAddress{number, at.port}.text() : at.ipc, error.num());
  }
}

}  // namespace rota
