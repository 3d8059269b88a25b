#include "core/wire/connection_limit.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>

#include "core/base/clock.h"

namespace rota {

namespace {

constexpr rlim_t kReserveMost = 1024;
constexpr rlim_t kAcceptedMost = 4096;  // whatever the limit: each costs memory, too
// The client's part of a handshake of CURVE: a greeting of 64 bytes, HELLO with 202, INITIATE with more than 257
// (ZMTP 3.0, RFC 23 and 25).
constexpr std::uint64_t kHandshakeBytes = 500;
constexpr std::uint32_t kSilentMs = 1000;
constexpr Nanoseconds kLookSpan = 100 * kMillisecond;

std::atomic<bool> closes_strangers{false};
std::atomic<std::uint64_t> refused{0};
std::atomic<Nanoseconds> looked_at{0};

// The port of this end; 0 if it is no connection of tcp.
in_port_t port_of(int connection) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  if (::getsockname(connection, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET) return reinterpret_cast<const sockaddr_in&>(address).sin_port;
  return address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port : in_port_t{0};
}

bool is_silent_stranger(int connection, in_port_t port) {
  struct tcp_info info = {};
  socklen_t size = sizeof info;
  if (::getsockopt(connection, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
  if (size < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received) return false;
  return info.tcpi_bytes_received < kHandshakeBytes && info.tcpi_last_data_recv >= kSilentMs &&
         port_of(connection) == port;
}

// Only ZeroMQ's own thread, which this is, closes a connection that it accepted: no other can get its number meanwhile.
void make_room(int listening) {
  const Nanoseconds now = now_ns();
  const in_port_t port = closes_strangers && now - looked_at >= kLookSpan ? port_of(listening) : in_port_t{0};
  if (port == 0) return;
  looked_at = now;
  for (int fd = 0; fd < accepted_below(); ++fd)
    if (fd != listening && is_silent_stranger(fd, port)) ::shutdown(fd, SHUT_RDWR);
}

}  // namespace

int accepted_below() {
  struct rlimit files = {};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return static_cast<int>(kAcceptedMost);
  const rlim_t most = files.rlim_cur - std::min(files.rlim_cur / 4, kReserveMost);
  return static_cast<int>(std::min(most, kAcceptedMost));
}

void close_silent_strangers(bool on) {
  closes_strangers = on;
}

std::uint64_t without_room() {
  return refused;
}

}  // namespace rota

// What ZeroMQ calls.  It expects EAGAIN, as after a peer that has gone.
extern "C" __attribute__((visibility("default"))) int accept4(int listening, sockaddr* address, socklen_t* size,
                                                              int flags) {
  const auto fd = static_cast<int>(::syscall(SYS_accept4, listening, address, size, flags));
  if (fd >= 0 && fd < rota::accepted_below()) return fd;
  if (fd < 0 && errno != EMFILE && errno != ENFILE) return fd;
  const int why = fd < 0 ? errno : EAGAIN;
  if (fd >= 0) ::close(fd);
  ++rota::refused;
  rota::make_room(listening);
  errno = why;
  return -1;
}
