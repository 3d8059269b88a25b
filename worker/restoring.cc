#include "worker/restoring.h"

#include "core/rounds/placement.h"

namespace rota {

void Restoring::ask(Outbox& out) {
  for (; !wanted_.empty() && asked_ < at_once_; ++asked_) {
    const Fetch& next = wanted_.front();
    out.send({Role::partition, partition_of_object(next.id, partitions_)}, next);
    wanted_.pop_front();
  }
}

void Restoring::restored(Outbox& out) {
  --asked_;
  ask(out);
}

}  // namespace rota
