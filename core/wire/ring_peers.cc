#include "core/wire/ring_peers.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace rota {
namespace {

constexpr char kGreeting[8] = {'R', 'o', 't', 'a', 'r', 'n', 'g', '1'};
constexpr std::size_t kSleepsMemory = 4096;
constexpr int kWaiting = 64;            // connections that are not accepted yet
constexpr std::size_t kPassedMost = 3;  // descriptors

std::string ring_path(const std::string& path) {
  return path + ".ring";
}

// None if the path is too long.
std::optional<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

// A greeting with two descriptors, or three.
bool pass(const FileDescriptor& socket, const FileDescriptor& memory, const FileDescriptor& doorbell, int lent = -1) {
  const int descriptors[kPassedMost] = {memory.get(), doorbell.get(), lent};
  const std::size_t bytes = (lent < 0 ? kPassedMost - 1 : kPassedMost) * sizeof(int);
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  iovec text = {const_cast<char*>(kGreeting), sizeof kGreeting};
  msghdr message = {};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(bytes);
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(bytes);
  std::memcpy(CMSG_DATA(head), descriptors, bytes);
  return ::sendmsg(socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof kGreeting;
}

struct Passed {
  enum class What { nothing, greeting, end } what = What::nothing;  // end: the connection, or what no process says
  FileDescriptor memory = {}, doorbell = {}, lent = {};
};

Passed take(const FileDescriptor& socket) {
  char text_bytes[sizeof kGreeting] = {};
  int descriptors[kPassedMost] = {-1, -1, -1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  iovec text = {text_bytes, sizeof text_bytes};
  msghdr message = {};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = ::recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  std::array<FileDescriptor, kPassedMost> owned;
  const cmsghdr* const head = CMSG_FIRSTHDR(&message);
  if (head != nullptr && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
    const std::size_t bytes = std::min(head->cmsg_len - CMSG_LEN(0), sizeof descriptors);
    std::memcpy(descriptors, CMSG_DATA(head), bytes);
    for (std::size_t i = 0; i < owned.size(); ++i) owned[i] = FileDescriptor(descriptors[i]);
  }
  if (got != sizeof kGreeting || std::memcmp(text_bytes, kGreeting, sizeof kGreeting) != 0 || !owned[1].open())
    return {Passed::What::end};
  return {Passed::What::greeting, std::move(owned[0]), std::move(owned[1]), std::move(owned[2])};
}

void ring(const FileDescriptor& doorbell) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(doorbell.get(), &one, sizeof one);
}

}  // namespace

Result<std::unique_ptr<RingPeers>> RingPeers::listen(const std::string& path, const FileDescriptor& doorbell,
                                                     std::size_t message_bytes_max) {
  std::unique_ptr<RingPeers> peers(new RingPeers(path, doorbell, message_bytes_max));
  ROTA_TRY(peers->open());
  return peers;
}

Status RingPeers::open() {
  LentMemory::open();
  ROTA_ASSIGN(sleeps_, SharedMemory::create(kSleepsMemory));
  const std::string path = ring_path(path_);
  const auto address = address_of(path);
  if (!address) return {ExitCode::usage, path + ": too long for a socket's name"};
  watched_ = FileDescriptor(::epoll_create1(EPOLL_CLOEXEC));
  listening_ = FileDescriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  ::unlink(path.c_str());  // of a process that was killed
  if (!watched_.open() || !listening_.open() ||
      ::bind(listening_.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
      ::listen(listening_.get(), kWaiting) != 0)
    return {ExitCode::failed, "cannot listen at " + path + ": " + std::strerror(errno)};
  return watch(listening_);
}

RingPeers::~RingPeers() {
  if (listening_.open()) ::unlink(ring_path(path_).c_str());
}

Status RingPeers::watch(const FileDescriptor& descriptor) {
  epoll_event event = {};
  event.events = EPOLLIN | EPOLLRDHUP;
  event.data.fd = descriptor.get();
  if (::epoll_ctl(watched_.get(), EPOLL_CTL_ADD, descriptor.get(), &event) == 0) return {};
  return {ExitCode::temporary, std::string("epoll_ctl: ") + std::strerror(errno)};
}

// ---- sending

RingPeers::Sent RingPeers::connect(NodeId peer, const std::string& path) {
  const auto address = address_of(ring_path(path));
  if (!address || no_memory_) return Sent::no_ring;
  FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.open()) return Sent::not_now;
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
    return errno == ENOENT ? Sent::no_ring : Sent::not_now;
  auto memory = SharedMemory::create(kRingMemory);
  no_memory_ = !memory.ok();
  if (no_memory_) return Sent::no_ring;
  RingWriter ring(*std::move(memory));
  const LentMemory* const lent = LentMemory::of_process();
  if (!pass(socket, ring.memory().descriptor(), doorbell_, lent != nullptr ? lent->descriptor().get() : -1) ||
      !watch(socket).ok())
    return Sent::not_now;
  ring.memory().close_descriptor();
  peer_of_[socket.get()] = peer;
  outgoing_.try_emplace(peer, Outgoing{path, std::move(socket), std::move(ring)});
  return Sent::not_now;
}

RingPeers::Sent RingPeers::send(NodeId peer, const std::string& path, const Frames& frames) {
  auto found = outgoing_.find(peer);
  if (found != outgoing_.end() && found->second.path != path) {
    forget(peer);
    found = outgoing_.end();
  }
  if (found == outgoing_.end()) {
    const Sent connected = connect(peer, path);
    found = outgoing_.find(peer);
    if (found == outgoing_.end()) return connected;
  }
  Outgoing& to = found->second;
  if (to.sleeps.data() != nullptr && !to.ring.idle()) push(to);
  to.refused = to.sleeps.data() == nullptr || !to.ring.idle();
  if (to.refused) return Sent::not_now;
  to.ring.begin(frames);
  push(to);
  return Sent::yes;
}

void RingPeers::push(Outgoing& to) {
  while (to.ring.advance()) to.unseen = true;
  // A reader that sleeps would make no space.
  if (!to.ring.idle()) wake(to);
}

void RingPeers::wake(Outgoing& to) {
  if (!std::exchange(to.unseen, false)) return;
  // In the order of RingState: either it sees the message, or this sees that it sleeps.
  auto& sleeps = *reinterpret_cast<std::atomic<std::uint32_t>*>(to.sleeps.data());
  if (sleeps.load() != 0 && sleeps.exchange(0) != 0) ring(to.doorbell);
}

void RingPeers::flush() {
  for (auto& [peer, to] : outgoing_) wake(to);
}

void RingPeers::forget(NodeId peer) {
  const auto found = outgoing_.find(peer);
  if (found == outgoing_.end()) return;
  peer_of_.erase(found->second.socket.get());
  outgoing_.erase(found);
}

// ---- receiving

std::optional<Frames> RingPeers::receive() {
  for (std::size_t step = 0, count = incoming_.size(); step < count; ++step) {
    auto from = incoming_.upper_bound(last_served_);
    if (from == incoming_.end()) from = incoming_.begin();
    last_served_ = from->first;
    Incoming& in = from->second;
    if (in.ring == nullptr) continue;
    auto frames = in.ring->next();
    if (in.ring->frees_writer()) ring(in.doorbell);
    if (in.ring->broken() || (in.closed && !in.ring->ready())) incoming_.erase(from);
    if (frames) return frames;
  }
  return std::nullopt;
}

bool RingPeers::ready() const {
  return std::ranges::any_of(incoming_, [](const auto& entry) {
    const Incoming& in = entry.second;
    return in.ring != nullptr && in.ring->ready();
  });
}

bool RingPeers::refuses() const {
  return std::ranges::any_of(outgoing_, [](const auto& entry) {
    const Outgoing& to = entry.second;
    return to.refused || !to.ring.idle();
  });
}

bool RingPeers::begin_sleep() {
  awake()->store(1);
  if (!ready()) return true;
  end_sleep();
  return false;
}

void RingPeers::accept() {
  for (;;) {
    FileDescriptor socket(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.open()) return;
    if (!watch(socket).ok()) continue;
    const int number = socket.get();
    incoming_.try_emplace(number, Incoming{std::move(socket)});
  }
}

void RingPeers::read_connection(std::map<int, Incoming>::iterator from) {
  Incoming& in = from->second;
  Passed passed = take(in.socket);
  if (passed.what == Passed::What::nothing) return;
  if (passed.what == Passed::What::greeting && in.ring == nullptr) {
    auto memory = SharedMemory::open(std::move(passed.memory), kRingMemory);
    auto lent = passed.lent.open() ? SharedMemory::open(std::move(passed.lent), kLentMemory) : SharedMemory();
    if (memory.ok() && lent.ok() && pass(in.socket, sleeps_.descriptor(), doorbell_)) {
      memory->close_descriptor();
      lent->close_descriptor();
      in.doorbell = std::move(passed.doorbell);
      in.ring = std::make_unique<RingReader>(*std::move(memory), std::make_shared<const SharedMemory>(*std::move(lent)),
                                             message_bytes_max_);
      return;
    }
  }
  // A dead process' last messages are still read.
  ::epoll_ctl(watched_.get(), EPOLL_CTL_DEL, in.socket.get(), nullptr);
  in.closed = true;
  if (in.ring == nullptr || !in.ring->ready()) incoming_.erase(from);
}

void RingPeers::read_connection(NodeId peer, Transport::Events& events) {
  Outgoing& to = outgoing_.at(peer);
  Passed passed = take(to.socket);
  if (passed.what == Passed::What::nothing) return;
  if (passed.what == Passed::What::greeting && to.sleeps.data() == nullptr) {
    auto memory = SharedMemory::open(std::move(passed.memory), kSleepsMemory);
    if (memory.ok()) {
      memory->close_descriptor();
      to.sleeps = *std::move(memory);
      to.doorbell = std::move(passed.doorbell);
      return;  // add_events() says that it takes messages
    }
  }
  forget(peer);
  events.disconnected.push_back(peer);
}

void RingPeers::resume(Transport::Events& events) {
  for (auto& [peer, to] : outgoing_) {
    if (to.sleeps.data() == nullptr) continue;
    if (!to.ring.idle()) push(to);
    if (!to.refused || !to.ring.idle()) continue;
    to.refused = false;
    events.writable.push_back(peer);
  }
}

void RingPeers::handle_connections(Transport::Events& events) {
  std::array<epoll_event, 16> found;
  for (int count = 1; count > 0;) {
    count = ::epoll_wait(watched_.get(), found.data(), static_cast<int>(found.size()), 0);
    for (int i = 0; i < count; ++i) {
      const int number = found[static_cast<std::size_t>(i)].data.fd;
      if (number == listening_.get()) {
        accept();
      } else if (const auto from = incoming_.find(number); from != incoming_.end()) {
        read_connection(from);
      } else if (const auto peer = peer_of_.find(number); peer != peer_of_.end()) {
        read_connection(peer->second, events);
      }
    }
  }
}

}  // namespace rota
