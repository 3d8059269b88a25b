// core/wire/speakers.h -- who may say what to whom: the column "from -> to" of PROTOCOL.md.
#pragma once
#include "core/wire/message.h"
#include "core/wire/node_id.h"

namespace rota {

// A key tells which role a process has, so what only the coordinator decides nobody else can.
bool may_say(Kind kind, Role from, Role to);

}  // namespace rota
