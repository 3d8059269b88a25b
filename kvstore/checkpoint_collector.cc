#include "kvstore/checkpoint_collector.h"

namespace rota {

void CheckpointCollector::begin(const Save& save, const Rows& rows) {
  Collecting& one = collecting_[save.epoch];
  one.asked = true;
  one.expected = save.objects;
  // Copies: the next epoch's commits may come before the file is written.
  one.rows = std::make_shared<const Rows>(rows);
}

void CheckpointCollector::add(const Put& put, NodeId from, Outbox& out) {
  keep(put, from, out);
  write_if_whole(put.epoch, out);
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
  out.start_io([spilled = one.spilled, put, acknowledge]() -> Continuation {
    const Status status = spilled->add(put);
    return [acknowledge, status](Outbox& later) -> Status {
      ROTA_TRY(status);
      acknowledge(later);
      return {};
    };
  });
}

void CheckpointCollector::write_if_whole(Epoch epoch, Outbox& out) {
  const auto found = collecting_.find(epoch);
  if (!found->second.asked || found->second.received < found->second.expected) return;
  auto whole = std::make_shared<Collecting>(std::move(found->second));
  collecting_.erase(found);
  out.start_io([this, whole, epoch]() -> Continuation {
    Written written;
    written.epoch = epoch;
    const ObjectSpill* const spilled = whole->spilled.get();
    const auto file = store_->write(epoch, partition_, {whole->objects, *whole->rows, spilled}, written.file);
    if (file.ok()) {
      written.file_bytes = file->bytes;
      written.file_hash = file->hash;
      written.rows = whole->rows->hash();
      for (const Put& put : whole->objects) written.objects.push_back({put.object, put.id, put.hash});
      for (std::size_t i = 0; spilled != nullptr && i < spilled->size(); ++i)
        written.objects.push_back(spilled->object(i));
    }
    written.apart = own_.has_value();
    return [this, written, status = file.status()](Outbox& later) -> Status {
      ROTA_TRY(status);
      if (own_) own_->wrote(written.epoch, {written.file, written.file_bytes, written.file_hash}, later);
      later.send(kCoordinator, written);
      return {};
    };
  });
}

}  // namespace rota
