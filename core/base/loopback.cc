#include "core/base/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <string>

namespace rota {

bool is_loopback(std::string_view host) {
  const std::string text(host);
  in_addr four = {};
  in6_addr six = {};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  if (::inet_pton(AF_INET6, text.c_str(), &six) == 1)
    return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
  return host == "localhost" || host.ends_with(".localhost");
}

}  // namespace rota
