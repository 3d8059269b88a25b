#include "worker/saving.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/rounds/placement.h"

namespace rota {

Saving::Saving(Epoch epoch, std::vector<Piece> pieces, const Limits& limits)
    : epoch_(epoch),
      limits_(limits),
      todo_(std::make_move_iterator(pieces.begin()), std::make_move_iterator(pieces.end())),
      left_(pieces.size()) {}

std::uint32_t Saving::partition_of(std::uint64_t id) const {
  return partition_of_object(id, limits_.partitions);
}

void Saving::stored(const Stored& stored, Outbox& out) {
  if (stored.epoch != epoch_) return;
  unstored_ -= std::min(unstored_, stored.bytes);
  go_on(out);
}

void Saving::go_on(Outbox& out, NodeId last, std::uint64_t bytes) {
  for (auto piece = todo_.begin(); piece != todo_.end() && encoding_ < limits_.at_once;) {
    const NodeId to{Role::partition, partition_of(piece->id)};
    const std::uint64_t promised = encoding_ * largest_.value_or(limits_.credit.bytes);
    const std::uint64_t there = promised + unstored_;
    const bool takes = there == 0 || there < limits_.unstored;
    if (!takes || !limits_.credit.allows(out, to, promised + (to == last ? bytes : 0))) {
      ++piece;
      continue;
    }
    start(std::move(*piece), out);
    piece = todo_.erase(piece);
  }
}

void Saving::start(Piece piece, Outbox& out) {
  ++encoding_;
  out.start([this, piece = std::move(piece)]() -> Continuation {
    Result<Bytes> bytes = piece.encode();
    const Hash128 hash = bytes.ok() ? hash128(bytes->view()) : Hash128{};
    return [this, object = piece.object, id = piece.id, bytes = std::move(bytes), hash](Outbox& later) -> Status {
      ROTA_TRY(bytes.status());
      --encoding_;
      --left_;
      largest_ = std::max<std::uint64_t>(largest_.value_or(0), bytes->size());
      const NodeId to{Role::partition, partition_of(id)};
      unstored_ += bytes->size();
      later.send(to, Put{epoch_, object, id, hash, *bytes});
      go_on(later, to, bytes->size());
      if (done()) later.send(kCoordinator, Saved{epoch_});
      return {};
    };
  });
}

}  // namespace rota
