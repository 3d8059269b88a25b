#include "core/wire/senders.h"

namespace rota {

bool may_send(Kind kind, Role from, Role to) {
  if (from == Role::coordinator) return true;  // the coordinator decides everything, so a refusal would protect nothing
  const bool to_coordinator = to == Role::coordinator;
  const bool of_worker = from == Role::worker, of_scheduler = from == Role::scheduler;
  const bool of_partition = from == Role::partition, to_partition = to == Role::partition;
  switch (kind) {
    case Kind::ack:
    case Kind::probe:
      return true;
    case Kind::piece:  // of a message that is asked about when it is whole
      return from != Role::observer;
    case Kind::hello:
    case Kind::beat:
    case Kind::fault:
    case Kind::stop:
      return to_coordinator && from != Role::observer;
    case Kind::ask_status:
      return to_coordinator;
    case Kind::welcome:
    case Kind::refuse:
    case Kind::read_ahead:
    case Kind::facts:
    case Kind::start:
    case Kind::tasks:
    case Kind::expect:
    case Kind::rounds_done:
    case Kind::evaluate:
    case Kind::save:
    case Kind::status:
      return false;
    case Kind::cut:
    case Kind::rounds:
      return of_scheduler && to_coordinator;
    case Kind::loaded:
    case Kind::has_read:
    case Kind::epoch_done:
      return of_worker && to_coordinator;
    case Kind::ready:
    case Kind::evaluated:
      return (of_worker || of_partition) && to_coordinator;
    case Kind::saved:
      return (of_worker || of_scheduler) && to_coordinator;
    case Kind::lease:
    case Kind::scattered:
      return of_worker && to == Role::worker;
    case Kind::parts:
      return of_worker && to_partition;
    case Kind::put:
    case Kind::fetch:
      return (of_worker || of_scheduler) && to_partition;
    case Kind::committed:
    case Kind::written:
      return of_partition && to_coordinator;
    case Kind::deltas:
      return of_partition && to == Role::worker;
    case Kind::feedback:
      return of_partition && to == Role::scheduler;
    case Kind::stored:
    case Kind::fetched:
      return of_partition;
    case Kind::ask_chunk:
    case Kind::chunk:
      return of_partition && to_coordinator;
  }
  return false;
}

}  // namespace rota
