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

// `call` is a generic lambda that takes the kinds which the node handles, and no others:
//   handle(in, [&](const auto& m) requires requires { on(m, in.from, out); } { return on(m, in.from, out); })
template <typename Call>
Status handle(const Envelope& in, const Call& call) {
  return std::visit(
      [&](const auto& message) -> Status {
        if constexpr (std::invocable<const Call&, decltype(message)>)
          return call(message);
        else
          return unexpected(message.kind, in.from);
      },
      in.message);
}

}  // namespace rota
