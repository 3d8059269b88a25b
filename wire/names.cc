// The words that logs use for roles and kinds.
#include "wire/message.h"
#include "wire/node_id.h"

namespace rota {

const char* role_name(Role role) {
  switch (role) {
    case Role::coordinator:
      return "coordinator";
    case Role::scheduler:
      return "scheduler";
    case Role::worker:
      return "worker";
    case Role::kvstore:
      return "kvstore";
    case Role::partition:
      return "partition";
    case Role::observer:
      return "observer";
  }
  return "nobody";
}

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::ack:
      return "ACK";
    case Kind::probe:
      return "PROBE";
    case Kind::piece:
      return "PIECE";
    case Kind::hello:
      return "HELLO";
    case Kind::welcome:
      return "WELCOME";
    case Kind::refuse:
      return "REFUSE";
    case Kind::beat:
      return "BEAT";
    case Kind::fault:
      return "FAULT";
    case Kind::stop:
      return "STOP";
    case Kind::loaded:
      return "LOADED";
    case Kind::weights:
      return "WEIGHTS";
    case Kind::cut:
      return "CUT";
    case Kind::ready:
      return "READY";
    case Kind::start:
      return "START";
    case Kind::rounds:
      return "ROUNDS";
    case Kind::tasks:
      return "TASKS";
    case Kind::expect:
      return "EXPECT";
    case Kind::lease:
      return "LEASE";
    case Kind::parts:
      return "PARTS";
    case Kind::deltas:
      return "DELTAS";
    case Kind::committed:
      return "COMMITTED";
    case Kind::rounds_done:
      return "ROUNDS_DONE";
    case Kind::epoch_done:
      return "EPOCH_DONE";
    case Kind::evaluate:
      return "EVALUATE";
    case Kind::evaluated:
      return "EVALUATED";
    case Kind::save:
      return "SAVE";
    case Kind::put:
      return "PUT";
    case Kind::saved:
      return "SAVED";
    case Kind::written:
      return "WRITTEN";
    case Kind::fetch:
      return "FETCH";
    case Kind::fetched:
      return "FETCHED";
    case Kind::ask_status:
      return "ASK_STATUS";
    case Kind::status:
      return "STATUS";
  }
  return "unknown";
}

}  // namespace rota
