// core/wire/senders.h -- which role may send what to which: the column "from -> to" of PROTOCOL.md.
#pragma once
#include "core/wire/message.h"
#include "core/wire/node_id.h"

namespace rota {

// A key proves the role of a process, so no other role can send the coordinator's decisions.
bool may_send(Kind kind, Role from, Role to);

}  // namespace rota
