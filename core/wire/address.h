// core/wire/address.h -- addresses as people write them, and as ZeroMQ wants them: it binds only numbers and
// interfaces.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace rota {

inline constexpr std::string_view kIpcScheme = "ipc://";
inline constexpr std::string_view kTcpScheme = "tcp://";
inline constexpr std::string_view kAllInterfaces = "*";

struct TcpAddress {
  std::string host;        // a name or a number; where one listens an interface too, or "*", all of them
  std::uint16_t port = 0;  // 0: any that is free

  std::string text() const;  // "tcp://HOST:PORT", with brackets around a number of IPv6
};

// "tcp://HOST:PORT"; 0 or * may stand for the port.  ExitCode::usage if it is none.
Result<TcpAddress> tcp_address(std::string_view text);
// The same without its scheme, and a port need not be there: "HOST", "HOST:PORT", "::1", "[::1]:PORT".
Result<TcpAddress> tcp_place(std::string_view text);

// The numbers (or the interface) of this machine that a name stands for, for listening.  ExitCode::usage if there are
// none.
Result<std::vector<std::string>> own_numbers(const std::string& host);

// The number of this machine from which a peer is reached: what the peer can answer to, if no machine between them
// translates addresses.
Result<std::string> number_towards(const TcpAddress& peer);

// A number of this machine by which others may reach it: of its first interface beyond loopback, IPv4 before IPv6; the
// loopback number if there is none.
std::string own_number();

// Whether names may stand for numbers of IPv6 here: ones of other machines could not be reached otherwise.
bool has_ipv6();

// Where a process listens, and the address it advertises.
struct Listening {
  std::string ipc = {};                   // "ipc://PATH"; or
  std::vector<std::string> numbers = {};  // for tcp; neither: it listens nowhere
  std::uint16_t port = 0;                 // 0: any that is free
  TcpAddress advertised = {};             // port 0: the port on which it listens
};

}  // namespace rota
