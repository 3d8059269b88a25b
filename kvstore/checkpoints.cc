#include "kvstore/checkpoints.h"

#include <algorithm>

#include "rota/bytes.h"

namespace rota {

OwnDisk::OwnDisk(std::uint32_t partition, std::shared_ptr<ChunkFiles> files, const CopyLimits& limits)
    : partition_(partition),
      files_(std::move(files)),
      copies_(files_, limits,
              [this](const Status& status, Outbox& out) { return status.ok() ? there_(out) : status; }) {}

void OwnDisk::get(Epoch epoch, const HashedFile& file, Outbox& out, std::function<Status(Outbox&)> there) {
  there_ = std::move(there);
  newest_ = epoch;
  out.start_io(followed_by([files = files_, file] { return files->has(file); },
                           [this, file](bool has, Outbox& later) {
                             if (has) return there_(later);
                             copies_.begin(kCoordinator, file, later);
                             return Status();
                           }));
}

void OwnDisk::wrote(Epoch epoch, const HashedFile& file, Outbox& out) {
  const std::optional<Epoch> before = std::exchange(newest_, epoch);
  written_ = file;
  if (!before) return;
  out.start_io([files = files_, partition = partition_, before = *before]() -> Continuation {
    files->drop_before(partition, before);
    return [](Outbox&) { return Status(); };
  });
}

Status OwnDisk::give(const AskChunk& ask, Outbox& out) {
  if (!written_ || !is_chunk_of(ask, *written_))
    return {ExitCode::bug, "a part of " + ask.file + " was asked for, which is none of what was written"};
  copies_.give(kCoordinator, ask, out);
  return {};
}

void CheckpointCollector::begin(const Save& save, const Rows& rows) {
  Collecting& one = collecting_[save.epoch];
  one.asked = true;
  one.expected = save.objects;
  // Copies: the next epoch's commits may come before the file is written.
  one.rows = std::make_shared<const Rows>(rows);
}

// In memory, or beyond credit_.kept bytes on disk.  STORED lets a worker put the next, as few are on their way at a
// time.
void CheckpointCollector::keep(const Put& put, NodeId from, Outbox& out) {
  Collecting& one = collecting_[put.epoch];
  ++one.received;
  const std::uint64_t bytes = put.bytes.size();
  const auto acknowledge = [from, stored = Stored{put.epoch, bytes}](Outbox& to) {
    if (from.role == Role::worker) to.send(from, stored);
  };
  if (one.bytes + bytes > credit_.kept && one.spilled == nullptr) one.spilled = store_->spill(put.epoch, partition_);
  if (one.bytes + bytes <= credit_.kept || one.spilled == nullptr) {
    one.bytes += bytes;
    one.objects.push_back(put);
    return acknowledge(out);
  }
  out.start_io(followed_by([spilled = one.spilled, put] { return spilled->add(put); }, acknowledge));
}

void CheckpointCollector::write_if_whole(Epoch epoch, Outbox& out) {
  const auto found = collecting_.find(epoch);
  if (!found->second.asked || found->second.received < found->second.expected) return;
  auto whole = std::make_shared<Collecting>(std::move(found->second));
  collecting_.erase(found);
  const auto write = [this, whole, epoch]() -> Result<Written> {
    Written written;
    written.epoch = epoch;
    const ObjectSpill* const spilled = whole->spilled.get();
    ROTA_ASSIGN(const FileHash file,
                store_->write(epoch, partition_, {whole->objects, *whole->rows, spilled}, written.file));
    written.file_bytes = file.bytes;
    written.file_hash = file.hash;
    written.rows = whole->rows->hash();
    for (const Put& put : whole->objects) written.objects.push_back({put.object, put.id, put.hash});
    for (std::size_t i = 0; spilled != nullptr && i < spilled->size(); ++i)
      written.objects.push_back(spilled->object(i));
    written.apart = own_.has_value();
    return written;
  };
  out.start_io(followed_by(write, [this](const Written& written, Outbox& later) {
    if (own_) own_->wrote(written.epoch, {written.file, written.file_bytes, written.file_hash}, later);
    later.send(kCoordinator, written);
  }));
}

// Workers that join a resumed job do not have the rows that were committed before.  They go in chunks, as fast as the
// slowest takes them; READY follows the last, so that no round is committed before.
void CheckpointServer::continue_rows(Outbox& out) {
  std::uint64_t sent = 0;
  while (position_) {
    const auto allows = [&](NodeId to) { return credit_.allows(out, to, sent); };
    if (!std::ranges::all_of(workers_, allows)) return;
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
  const auto next = std::ranges::find_if(
      asked_, [&](const Asked& one) { return credit_.allows(out, one.by, one.by == last ? bytes : 0); });
  if (next == asked_.end()) return;
  const Asked asked = *next;
  asked_.erase(next);
  reading_ = true;
  out.start_io(followed_by([this, what = asked.what] { return store_->read(epoch_, partition_, what.object, what.id); },
                           [this, asked](const Bytes& object, Outbox& later) {
                             reading_ = false;
                             later.send(asked.by, Fetched{asked.what.object, asked.what.id, object});
                             serve(later, asked.by, object.size());
                           }));
}

}  // namespace rota
