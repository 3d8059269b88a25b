#include "core/wire/address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>

#include "core/base/files.h"

namespace rota {

namespace {

using Resolved = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

// Null, and why in `error`, if there is nothing of that name.
Resolved resolve(const std::string& host, std::uint16_t port, std::string& error) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (code != 0) error = ::gai_strerror(code);
  return {code == 0 ? found : nullptr, &::freeaddrinfo};
}

std::string number_of(const sockaddr* address, socklen_t size) {
  char text[NI_MAXHOST] = {};
  return ::getnameinfo(address, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0 ? text : "";
}

// Whether it is a number of this machine.
bool is_own(const addrinfo& candidate) {
  const FileDescriptor fd(::socket(candidate.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return fd.open() && ::bind(fd.get(), candidate.ai_addr, candidate.ai_addrlen) == 0;
}

bool is_port(std::string_view text, std::uint16_t& port) {
  port = 0;
  if (text == "*") return true;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return !text.empty() && error == std::errc{} && end == text.data() + text.size();
}

Status no_address(std::string_view text) {
  return {ExitCode::usage, "'" + std::string(text) + "' is no address: HOST:PORT, or [HOST]:PORT for IPv6, is one"};
}

bool is_host(std::string_view host) {
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view(".-_:%*").find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string TcpAddress::text() const {
  const bool brackets = host.find(':') != host.npos;
  return std::string(kTcpScheme) + (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<TcpAddress> tcp_place(std::string_view text) {
  TcpAddress place;
  std::string_view host = text, port = "0";
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == text.npos) return no_address(text);
    host = text.substr(1, end - 1);
    if (const auto rest = text.substr(end + 1); !rest.empty()) {
      if (rest.front() != ':') return no_address(text);
      port = rest.substr(1);
    }
  } else if (const auto colon = text.find(':'); colon != text.npos && text.find(':', colon + 1) == text.npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  place.host = host;
  if (!is_host(host) || !is_port(port, place.port)) return no_address(text);
  return place;
}

Result<TcpAddress> tcp_address(std::string_view text) {
  if (!text.starts_with(kTcpScheme)) return no_address(text);
  const auto rest = text.substr(kTcpScheme.size());
  // Without brackets the end of an IPv6 address would be ambiguous.
  const auto colon = rest.rfind(':');
  const bool bare = !rest.starts_with('[') && colon != rest.find(':');
  if (colon == rest.npos || bare || rest.ends_with(']')) return no_address(text);
  auto place = tcp_place(rest);
  return place.ok() ? std::move(place) : no_address(text);
}

Result<std::vector<std::string>> own_numbers(const std::string& host) {
  std::vector<std::string> numbers;
  if (host == kAllInterfaces) return numbers = {host}, numbers;
  std::string error;
  const Resolved found = resolve(host, 0, error);
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
    if (!is_own(*at)) continue;
    const std::string number = number_of(at->ai_addr, at->ai_addrlen);
    if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(number);
  }
  if (!numbers.empty()) return numbers;
  if (::if_nametoindex(host.c_str()) != 0) return numbers = {host}, numbers;
  return Status(ExitCode::usage,
                "cannot listen at " + host + ": " + (found ? "it is no address of this machine" : error));
}

Result<std::string> number_towards(const TcpAddress& peer) {
  std::string error = "there is no way there";
  const Resolved found = resolve(peer.host, peer.port, error);
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
    // Sends nothing: only the way is looked up.
    const FileDescriptor fd(::socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!fd.open() || ::connect(fd.get(), at->ai_addr, at->ai_addrlen) != 0) continue;
    sockaddr_storage own = {};
    socklen_t size = sizeof own;
    auto* address = reinterpret_cast<sockaddr*>(&own);
    if (::getsockname(fd.get(), address, &size) == 0) return number_of(address, size);
  }
  return Status(ExitCode::usage, "cannot reach " + peer.text() + ": " + error);
}

std::string own_number() {
  ifaddrs* all = nullptr;
  std::string four, six;
  if (::getifaddrs(&all) != 0) return "127.0.0.1";
  for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || (at->ifa_flags & IFF_LOOPBACK) != 0 || (at->ifa_flags & IFF_UP) == 0) continue;
    if (at->ifa_addr->sa_family == AF_INET && four.empty()) four = number_of(at->ifa_addr, sizeof(sockaddr_in));
    if (at->ifa_addr->sa_family != AF_INET6 || !six.empty()) continue;
    if (!IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(at->ifa_addr)->sin6_addr))
      six = number_of(at->ifa_addr, sizeof(sockaddr_in6));
  }
  ::freeifaddrs(all);
  return !four.empty() ? four : !six.empty() ? six : "127.0.0.1";
}

bool has_ipv6() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return false;
  bool found = false;
  for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET6) continue;
    const auto& six = reinterpret_cast<const sockaddr_in6*>(at->ifa_addr)->sin6_addr;
    found = found || (!IN6_IS_ADDR_LOOPBACK(&six) && !IN6_IS_ADDR_LINKLOCAL(&six));
  }
  ::freeifaddrs(all);
  return found;
}

}  // namespace rota
