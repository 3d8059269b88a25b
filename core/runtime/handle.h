// core/runtime/handle.h -- gives a message to the handler for its kind.
#pragma once
#include <concepts>
#include <string>
#include <variant>

#include "core/runtime/node.h"

namespace rota {

inline Status unexpected(Kind kind, NodeId from) {
  return {ExitCode::bug, std::string("an unexpected ") + kind_name(kind) + " from " + from.name()};
}

// Calls `call(message)` if the message is of one of the kinds in `Handled`, else `otherwise()`: without it any other
// kind is unexpected().  A node lists all that it handles, so that a kind without a handler does not compile, and one
// that was forgotten is seen missing:
//   handle<Welcome, Stop>(in, [&](const auto& message) { return on(message, in.from, out); })
template <typename... Handled, typename Call, typename Otherwise>
Status handle(const Envelope& in, const Call& call, const Otherwise& otherwise) {
  return std::visit(
      [&](const auto& message) -> Status {
        using M = std::remove_cvref_t<decltype(message)>;
        if constexpr ((std::same_as<M, Handled> || ...))
          return call(message);
        else
          return otherwise();
      },
      in.message);
}

template <typename... Handled, typename Call>
Status handle(const Envelope& in, const Call& call) {
  return handle<Handled...>(in, call, [&] { return unexpected(kind_of(in.message), in.from); });
}

}  // namespace rota
