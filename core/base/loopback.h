// core/base/loopback.h -- whether an address is one of this machine alone.
#pragma once
#include <string_view>

namespace rota {

// Whether this is how users write an address that no other machine can reach.  A machine's own name is not: Debian maps
// it to a loopback address, but a user who gives it means to be reachable.
bool is_loopback(std::string_view host);

}  // namespace rota
