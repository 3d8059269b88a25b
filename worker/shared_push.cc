#include "worker/shared_push.h"

#include <utility>

#include "core/base/finite.h"
#include "core/base/seed.h"
#include "core/job/plugin_host.h"
#include "core/rounds/commits.h"

namespace rota {

namespace {

// Bytes of a shard's parts that may wait for those of others.
constexpr std::uint64_t kWaitMost = std::uint64_t{4} << 20;

}  // namespace

bool go_together(const Table& table) {
  return table.dense && table.keys * table.part_width * sizeof(double) <= kWaitMost;
}

Status SharedPush::run(std::string_view plugin, const std::string& where, std::uint64_t seed, Push& push) {
  offsets = part_offsets(table, rows_of_round(rows));
  parts.assign(offsets.back(), 0.0);
  Writer words;
  std::unique_ptr<OpenScratch> room = scratch != nullptr ? scratch->take(rows.table, table) : nullptr;
  Status status = call_hook(plugin, "Push::push", where, [&] {
    std::vector<Entry> entries;
    entries.reserve(rows.keys.size());
    for (std::size_t i = 0; i < rows.keys.size(); ++i)
      entries.push_back({rows.keys[i],
                         view != nullptr
                             ? view->row(rows.keys[i])
                             : std::span<const double>(values).subspan(i * table.row_width, table.row_width),
                         std::span(parts).subspan(offsets[i], offsets[i + 1] - offsets[i])});
    Random random = random_for(seed, Stream::push_shared, task.epoch, task.shard, task.round);
    items = push.push(SharedTask{task.epoch, task.round, rows.table, entries, rows.blocks, rows.argument, words,
                                 room != nullptr ? room->parts() : OpenParts()},
                      random);
  });
  if (room != nullptr) {
    open_parts = room->take();
    scratch->give_back(rows.table, std::move(room));
  }
  bool finite = all_finite(parts);
  for (const SparseRows::Piece& piece : open_parts.pieces()) finite = finite && all_finite(piece.numbers);
  const char* const wrong = !finite ? "a part is not a finite number"
                            : !table.single_partition && !words.view().empty()
                                ? "a note, and the table spans partitions"
                                : nullptr;
  if (status.ok() && wrong != nullptr)
    status = Status(ExitCode::failed, std::string(plugin) + ", Push::push, " + where + ": " + wrong);
  note = Bytes::from(words.take());
  return status;
}

std::unique_ptr<OpenScratch> ScratchPool::take(TableId id, const Table& table) {
  const std::scoped_lock lock(mutex_);
  auto& free = free_[id];
  if (free.empty()) return std::make_unique<OpenScratch>(table);
  auto scratch = std::move(free.back());
  free.pop_back();
  return scratch;
}

void ScratchPool::give_back(TableId id, std::unique_ptr<OpenScratch> scratch) {
  const std::scoped_lock lock(mutex_);
  free_[id].push_back(std::move(scratch));
}

}  // namespace rota
