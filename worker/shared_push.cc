#include "worker/shared_push.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/seed.h"
#include "core/job/plugin_host.h"
#include "core/rounds/commits.h"

namespace rota {

namespace {

bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

Status SharedPush::run(std::string_view plugin, const std::string& where, std::uint64_t seed, Push& push) {
  offsets = part_offsets(table, rows);
  parts.assign(offsets.back(), 0.0);
  Writer words;
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
                                 scratch != nullptr ? scratch->parts() : OpenParts()},
                      random);
  });
  if (scratch != nullptr) open_parts = scratch->take();
  const char* const wrong = !all_finite(parts) || !all_finite(open_parts.numbers) ? "a part is not a finite number"
                            : !table.single_partition && !words.view().empty()
                                ? "a note, and the table spans partitions"
                                : nullptr;
  if (status.ok() && wrong != nullptr)
    status = Status(ExitCode::failed, std::string(plugin) + ", Push::push, " + where + ": " + wrong);
  note = Bytes::from(words.take());
  return status;
}

std::unique_ptr<OpenScratch> ScratchPool::take(TableId id, const Table& table) {
  auto& free = free_[id];
  if (free.empty()) return std::make_unique<OpenScratch>(table);
  auto scratch = std::move(free.back());
  free.pop_back();
  return scratch;
}

void ScratchPool::give_back(TableId id, std::unique_ptr<OpenScratch> scratch) {
  if (scratch != nullptr) free_[id].push_back(std::move(scratch));
}

}  // namespace rota
