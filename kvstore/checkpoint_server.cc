#include "kvstore/checkpoint_server.h"

#include <algorithm>

#include "rota/bytes.h"

namespace rota {

void CheckpointServer::open(Outbox& out) {
  is_open_ = true;
  serve(out);
}

void CheckpointServer::send_rows(Outbox& out) {
  position_ = Position{};
  continue_rows(out);
}

void CheckpointServer::fetch(const Fetch& fetch, NodeId from, Outbox& out) {
  asked_.push_back({from, fetch});
  serve(out);
}

void CheckpointServer::tick(Outbox& out) {
  continue_rows(out);
  serve(out);
}

// Workers that join a resumed job do not have the rows that were committed before.  They go in chunks, as fast as the
// slowest takes them; READY follows the last, so that no round is committed before.
void CheckpointServer::continue_rows(Outbox& out) {
  std::uint64_t sent = 0;
  while (position_) {
    const auto allows = [&](NodeId to) { return credit_.allows(out, to, sent); };
    if (!std::all_of(workers_.begin(), workers_.end(), allows)) return;
    const std::optional<Deltas> rows = next_rows();
    if (!rows) {
      position_.reset();
      out.send(kCoordinator, Ready{});
      return;
    }
    sent += rows->values.size() + rows->rows.keys.size() * sizeof(Key);
    out.send(workers_, *rows);
  }
}

// The next chunk of rows to send; every shared table has at least one, its last.
std::optional<Deltas> CheckpointServer::next_rows() {
  while (!rows_.has_table(position_->table))
    if (++position_->table >= rows_.tables().size()) return std::nullopt;
  Deltas chunk;
  chunk.rows.table = position_->table;
  Writer values;
  std::uint64_t bytes = 0;
  rows_.for_each_after(position_->table, position_->after, [&](Key key, std::span<const double> row) {
    chunk.last = bytes == 0 || bytes + row.size_bytes() + sizeof key <= credit_.chunk;
    if (!chunk.last) return false;
    bytes += row.size_bytes() + sizeof key;
    chunk.rows.keys.push_back(key);
    values.append(row.data(), row.size_bytes());
    return true;
  });
  chunk.values = Bytes::from(values.take());
  if (chunk.last)
    position_ = Position{position_->table + 1, std::nullopt};
  else
    position_->after = chunk.rows.keys.back();
  return chunk;
}

// Reads what was asked for, one object after the other, for processes to which little is on its way.  `bytes` were sent
// to `last` just now.
void CheckpointServer::serve(Outbox& out, NodeId last, std::uint64_t bytes) {
  if (reading_ || !is_open_) return;
  const auto next = std::find_if(asked_.begin(), asked_.end(), [&](const Asked& one) {
    return credit_.allows(out, one.by, one.by == last ? bytes : 0);
  });
  if (next == asked_.end()) return;
  const Asked asked = *next;
  asked_.erase(next);
  reading_ = true;
  out.start_io([this, asked]() -> Continuation {
    auto bytes_read = store_->read(epoch_, partition_, asked.what.object, asked.what.id);
    return [this, asked, bytes_read = std::move(bytes_read)](Outbox& later) -> Status {
      reading_ = false;
      if (!bytes_read.ok()) return bytes_read.status();
      later.send(asked.by, Fetched{asked.what.object, asked.what.id, *bytes_read});
      serve(later, asked.by, bytes_read->size());
      return {};
    };
  });
}

}  // namespace rota
