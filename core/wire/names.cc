// The names of roles and kinds in logs.
#include <utility>

#include "core/wire/message.h"
#include "core/wire/node_id.h"

namespace rota {

namespace {

constexpr std::pair<Kind, const char*> kKindNames[] = {
    {Kind::ack, "ACK"},
    {Kind::probe, "PROBE"},
    {Kind::piece, "PIECE"},
    {Kind::hello, "HELLO"},
    {Kind::welcome, "WELCOME"},
    {Kind::refuse, "REFUSE"},
    {Kind::beat, "BEAT"},
    {Kind::fault, "FAULT"},
    {Kind::stop, "STOP"},
    {Kind::loaded, "LOADED"},
    {Kind::read_ahead, "READ_AHEAD"},
    {Kind::has_read, "HAS_READ"},
    {Kind::facts, "FACTS"},
    {Kind::cut, "CUT"},
    {Kind::ready, "READY"},
    {Kind::start, "START"},
    {Kind::rounds, "ROUNDS"},
    {Kind::tasks, "TASKS"},
    {Kind::expect, "EXPECT"},
    {Kind::lease, "LEASE"},
    {Kind::scattered, "SCATTERED"},
    {Kind::parts, "PARTS"},
    {Kind::deltas, "DELTAS"},
    {Kind::committed, "COMMITTED"},
    {Kind::rounds_done, "ROUNDS_DONE"},
    {Kind::epoch_done, "EPOCH_DONE"},
    {Kind::feedback, "FEEDBACK"},
    {Kind::evaluate, "EVALUATE"},
    {Kind::evaluated, "EVALUATED"},
    {Kind::save, "SAVE"},
    {Kind::put, "PUT"},
    {Kind::saved, "SAVED"},
    {Kind::stored, "STORED"},
    {Kind::written, "WRITTEN"},
    {Kind::ask_chunk, "ASK_CHUNK"},
    {Kind::chunk, "CHUNK"},
    {Kind::fetch, "FETCH"},
    {Kind::fetched, "FETCHED"},
    {Kind::ask_status, "ASK_STATUS"},
    {Kind::status, "STATUS"},
};

}  // namespace

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
  return "unknown";
}

const char* kind_name(Kind kind) {
  for (const auto& [known, name] : kKindNames)
    if (known == kind) return name;
  return "unknown";
}

}  // namespace rota
