#include "cli/remote/reach.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <system_error>

namespace rota {
namespace {

using Found = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Found resolve(const TcpAddress& address) {
  addrinfo hints = {}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found) != 0) found = nullptr;
  return {found, &::freeaddrinfo};
}

std::string why(int error) {
  return std::generic_category().message(error);
}

}  // namespace

Result<OpenPort> OpenPort::at(const std::string& number) {
  const Found found = resolve({number, 0});
  if (found == nullptr) return Status(ExitCode::failed, number + " is no address");
  OpenPort open;
  open.socket_ = FileDescriptor(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!open.socket_.open() || ::bind(open.socket_.get(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::listen(open.socket_.get(), 8) != 0)
    return Status(ExitCode::failed, "cannot listen at " + number + ": " + why(errno));
  sockaddr_storage own = {};
  socklen_t size = sizeof own;
  ::getsockname(open.socket_.get(), reinterpret_cast<sockaddr*>(&own), &size);
  // The port is in the same place for IPv4 and IPv6.
  open.address_ = {number, ntohs(reinterpret_cast<const sockaddr_in&>(own).sin_port)};
  return open;
}

Status reach(const TcpAddress& address, Nanoseconds most) {
  const Found found = resolve(address);
  if (found == nullptr) return {ExitCode::temporary, address.host + " does not resolve"};
  const FileDescriptor fd(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int error = 0;
  if (!fd.open() || (::connect(fd.get(), found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS)) {
    error = errno;
  } else {
    pollfd wait{fd.get(), POLLOUT, 0};
    socklen_t size = sizeof error;
    if (::poll(&wait, 1, static_cast<int>(most / kMillisecond)) == 0)
      error = ETIMEDOUT;
    else
      ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  }
  return error == 0 ? Status() : Status(ExitCode::temporary, address.text() + ": " + why(error));
}

}  // namespace rota
