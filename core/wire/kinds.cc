// What is fixed for each kind of message: its name in logs, and which roles may send it to which.
#include <algorithm>
#include <cstddef>
#include <iterator>

#include "core/wire/message.h"
#include "core/wire/node_id.h"

namespace rota {

namespace {

using Roles = unsigned;

constexpr Roles only(Role role) {
  return 1U << static_cast<unsigned>(role);
}

constexpr Roles kNone = 0, kCoordinators = only(Role::coordinator), kSchedulers = only(Role::scheduler),
                kWorkers = only(Role::worker), kPartitions = only(Role::partition), kAll = ~kNone,
                kMembers = kAll & ~only(Role::observer);

struct OfKind {
  Kind kind;
  const char* name;
  Roles from, to;  // beside the coordinator, which may send anything
};

constexpr OfKind kKinds[] = {
    {Kind::ack, "ACK", kAll, kAll},
    {Kind::probe, "PROBE", kAll, kAll},
    {Kind::piece, "PIECE", kMembers, kAll},  // of a message that is asked about when it is whole
    {Kind::hello, "HELLO", kMembers, kCoordinators},
    {Kind::welcome, "WELCOME", kNone, kNone},
    {Kind::refuse, "REFUSE", kNone, kNone},
    {Kind::beat, "BEAT", kMembers, kCoordinators},
    {Kind::fault, "FAULT", kMembers, kCoordinators},
    {Kind::stop, "STOP", kMembers, kCoordinators},
    {Kind::loaded, "LOADED", kWorkers, kCoordinators},
    {Kind::read_ahead, "READ_AHEAD", kNone, kNone},
    {Kind::has_read, "HAS_READ", kWorkers, kCoordinators},
    {Kind::facts, "FACTS", kNone, kNone},
    {Kind::cut, "CUT", kSchedulers, kCoordinators},
    {Kind::ready, "READY", kWorkers | kPartitions, kCoordinators},
    {Kind::start, "START", kNone, kNone},
    {Kind::rounds, "ROUNDS", kSchedulers, kCoordinators},
    {Kind::tasks, "TASKS", kNone, kNone},
    {Kind::expect, "EXPECT", kNone, kNone},
    {Kind::lease, "LEASE", kWorkers, kWorkers},
    {Kind::scattered, "SCATTERED", kWorkers, kWorkers},
    {Kind::parts, "PARTS", kWorkers, kPartitions},
    {Kind::deltas, "DELTAS", kPartitions, kWorkers},
    {Kind::epoch_over, "EPOCH_OVER", kNone, kNone},
    {Kind::epoch_done, "EPOCH_DONE", kWorkers, kCoordinators},
    {Kind::feedback, "FEEDBACK", kPartitions, kSchedulers},
    {Kind::evaluate, "EVALUATE", kNone, kNone},
    {Kind::evaluated, "EVALUATED", kWorkers | kPartitions, kCoordinators},
    {Kind::save, "SAVE", kNone, kNone},
    {Kind::put, "PUT", kWorkers | kSchedulers, kPartitions},
    {Kind::saved, "SAVED", kWorkers | kSchedulers, kCoordinators},
    {Kind::stored, "STORED", kPartitions, kAll},
    {Kind::written, "WRITTEN", kPartitions, kCoordinators},
    {Kind::ask_chunk, "ASK_CHUNK", kPartitions, kCoordinators},
    {Kind::chunk, "CHUNK", kPartitions, kCoordinators},
    {Kind::fetch, "FETCH", kWorkers | kSchedulers, kPartitions},
    {Kind::fetched, "FETCHED", kPartitions, kAll},
    {Kind::ask_status, "ASK_STATUS", kAll, kCoordinators},
    {Kind::status, "STATUS", kNone, kNone},
};

}  // namespace

const char* role_name(Role role) {
  static constexpr const char* kNames[] = {"coordinator", "scheduler", "worker", "kvstore", "partition", "observer"};
  const auto number = static_cast<std::size_t>(role) - 1;
  return number < std::size(kNames) ? kNames[number] : "unknown";
}

const char* kind_name(Kind kind) {
  const auto known = std::ranges::find(kKinds, kind, &OfKind::kind);
  return known != std::end(kKinds) ? known->name : "unknown";
}

bool may_send(Kind kind, Role from, Role to) {
  if (from == Role::coordinator) return true;  // it decides everything, so a refusal would protect nothing
  const auto known = std::ranges::find(kKinds, kind, &OfKind::kind);
  return known != std::end(kKinds) && (known->from & only(from)) != 0 && (known->to & only(to)) != 0;
}

}  // namespace rota
