#include "core/wire/authenticator.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>
#include <zmq.hpp>

#include "core/wire/connection_limit.h"

namespace rota {

namespace {

constexpr const char* kEndpoint = "inproc://zeromq.zap.01";
constexpr const char* kMonitor = "inproc://monitor-of-listening";
constexpr const char* kVersion = "1.0";
// Frames of a request: version, number, domain, address, identity, mechanism, and for CURVE the key.
constexpr std::size_t kNumber = 1, kAddress = 3, kMechanism = 5, kKey = 6, kFrames = 7;
constexpr std::size_t kKeyBytes = 32;

}  // namespace

Authenticator::Authenticator(zmq::context_t& context, zmq::socket_t& listening, const Keys& keys)
    : listening_(listening), end_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!end_.open()) throw zmq::error_t();
  for (const auto& [role, text] : keys.known) {
    // Observers connect to the coordinator only.
    if (role == Role::observer && keys.role != Role::coordinator) continue;
    std::array<std::uint8_t, kKeyBytes> key{};
    if (zmq_z85_decode(key.data(), text.c_str()) != nullptr) known_[std::string(key.begin(), key.end())] = role;
  }
  zmq::socket_t asked(context, zmq::socket_type::rep);
  asked.set(zmq::sockopt::linger, 0);
  asked.bind(kEndpoint);
  // A peer without keys fails before ZAP is asked.
  zmq_socket_monitor(listening.handle(), kMonitor,
                     ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
  zmq::socket_t monitor(context, zmq::socket_type::pair);
  monitor.connect(kMonitor);
  close_silent_strangers(true);
  thread_ = std::thread([this, asked = std::move(asked), monitor = std::move(monitor)]() mutable {
    run(std::move(asked), std::move(monitor));
  });
}

Authenticator::~Authenticator() {
  // Before its reader is destroyed, as ZeroMQ may be sending an event.
  zmq_socket_monitor(listening_.handle(), nullptr, 0);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(end_.get(), &one, sizeof one);
  thread_.join();
}

void Authenticator::reject(const std::string& why) {
  const std::lock_guard lock(mutex_);
  last_ = why;
  ++rejected_connections_;
}

void Authenticator::answer(zmq::socket_t& asked) {
  std::vector<std::string> request;
  zmq::message_t frame;
  while (asked.recv(frame, zmq::recv_flags::dontwait)) {
    request.push_back(frame.to_string());
    if (!frame.more()) break;
  }
  if (request.empty()) return;
  const bool whole = request.size() == kFrames && request.front() == kVersion;
  const auto known = whole && request[kMechanism] == "CURVE" ? known_.find(request[kKey]) : known_.end();
  const std::string role = known != known_.end() ? role_name(known->second) : "";
  if (role.empty()) reject("an unknown key from " + (whole ? request[kAddress] : std::string("somewhere")));
  const std::string number = request.size() > kNumber ? request[kNumber] : "";
  const std::array<std::string, 6> words = {
      kVersion, number, role.empty() ? "400" : "200", role.empty() ? "unknown key" : "", role, ""};
  for (std::size_t i = 0; i < words.size(); ++i)
    asked.send(zmq::buffer(words[i]), i + 1 < words.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
}

void Authenticator::run(zmq::socket_t asked, zmq::socket_t monitor) {
  while (true) {
    std::array<zmq::pollitem_t, 3> items{zmq::pollitem_t{nullptr, end_.get(), ZMQ_POLLIN, 0},
                                         zmq::pollitem_t{asked.handle(), 0, ZMQ_POLLIN, 0},
                                         zmq::pollitem_t{monitor.handle(), 0, ZMQ_POLLIN, 0}};
    if (zmq_poll(items.data(), static_cast<int>(items.size()), -1) < 0 && errno != EINTR) return;
    if ((items[0].revents & ZMQ_POLLIN) != 0) return;
    if ((items[1].revents & ZMQ_POLLIN) != 0) answer(asked);
    zmq::message_t part;  // two frames: the event, our own address
    while (monitor.recv(part, zmq::recv_flags::dontwait))
      if (part.more()) reject("somebody without a key");
  }
}

}  // namespace rota
