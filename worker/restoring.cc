#include "worker/restoring.h"

#include <algorithm>
#include <utility>

#include "core/rounds/placement.h"
#include "core/runtime/handle.h"

namespace rota {

namespace {

// Objects that are asked for and not restored, beyond one for each thread.
constexpr std::size_t kFetchedAhead = 2;

}  // namespace

Status Restoring::on(const Deltas& rows, NodeId, Outbox& out) {
  if (!has_tables_)
    early_.push_back(rows);
  else
    ROTA_TRY(restore(rows));
  send_ready_if_all(out);
  return {};
}

Status Restoring::tables_made() {
  has_tables_ = true;
  for (const Deltas& rows : std::exchange(early_, {})) ROTA_TRY(restore(rows));
  return {};
}

Status Restoring::restore(const Deltas& rows) {
  ROTA_TRY(state_.commits.restore(rows));
  state_.views().restore(rows);
  return {};
}

void Restoring::begin(Outbox& out) {
  begun_ = true;
  const ShardHosts::Shards shards = state_.hosted;
  const auto slices = static_cast<std::uint32_t>(state_.cut().slices.size());
  if (state_.hosts(0)) to_fetch_.push_back({Object::common, 0});
  for (ShardId s = shards.first; s < shards.end; ++s) to_fetch_.push_back({Object::shard, s});
  for (SliceId b = 0; b < slices; ++b)
    if (state_.hosts(home_shard(b, state_.job().shards, slices))) to_fetch_.push_back({Object::slice, b});
  ask(out);
}

// As many as may be.
void Restoring::ask(Outbox& out) {
  for (; !to_fetch_.empty() && asked_ < state_.settings.threads + kFetchedAhead; ++asked_) {
    const Fetch& next = to_fetch_.front();
    out.send({Role::partition, partition_of_object(next.id, state_.settings.partitions)}, next);
    to_fetch_.pop_front();
  }
}

Status Restoring::on(const Fetched& fetched, NodeId from, Outbox& out) {
  if (asked_ == 0) return unexpected(fetched.kind, from);
  if (fetched.object == Object::common && state_.hosts(0)) {
    ROTA_TRY(check_common(fetched.bytes));
    restored(out);
  } else if (fetched.object == Object::slice && fetched.id < state_.cut().slices.size()) {
    state_.leases.begin(static_cast<SliceId>(fetched.id), nullptr, fetched.bytes);
    restored(out);
  } else if (fetched.object == Object::shard && fetched.id >= state_.hosted.first && fetched.id < state_.hosted.end) {
    restore(static_cast<ShardId>(fetched.id), fetched.bytes, out);
  } else {
    return unexpected(fetched.kind, from);
  }
  return {};
}

// Data of the same content may still be read in another way: with another vocabulary, for instance.
Status Restoring::check_common(const Bytes& saved) const {
  Writer now;
  ROTA_TRY(state_.hook("App::save_common", state_.id().name(), [&] { state_.first_reader().save_common(now); }));
  if (std::ranges::equal(now.view(), saved.view())) return {};
  return {ExitCode::bad_data, "what the shards share of the data is not that of the checkpoint"};
}

void Restoring::restore(ShardId shard, const Bytes& saved, Outbox& out) {
  out.start([this, shard, saved]() -> Continuation {
    Reader in(saved.view());
    Status status = state_.hook("Push::restore", name_of(shard), [&] { state_.push(shard).restore(in); });
    if (status.ok() && !in.done())
      status = Status(ExitCode::disk, "the state of " + name_of(shard) + " in the checkpoint is damaged");
    return [this, status](Outbox& later) -> Status {
      ROTA_TRY(status);
      restored(later);
      return {};
    };
  });
}

void Restoring::restored(Outbox& out) {
  --asked_;
  ask(out);
  send_ready_if_all(out);
}

void Restoring::send_ready_if_all(Outbox& out) {
  if (begun_ && to_fetch_.empty() && asked_ == 0 && state_.commits.restored()) out.send(kCoordinator, Ready{});
}

}  // namespace rota
