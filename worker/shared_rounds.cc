#include "worker/shared_rounds.h"

#include <utility>

#include "core/base/finite.h"
#include "core/base/seed.h"
#include "core/job/plugin_host.h"
#include "core/rounds/placement.h"
#include "core/rounds/push_kinds.h"

namespace rota {

// Bytes of a shard's parts that may wait for those of others.
constexpr std::uint64_t kWaitMost = std::uint64_t{4} << 20;

bool go_together(const Table& table) {
  return table.dense && table.keys * table.part_width * sizeof(double) <= kWaitMost;
}

Status RoundPush::run(std::string_view plugin, const std::string& where, std::uint64_t seed, Push& push) {
  offsets = part_offsets(table, rows_of_round(rows));
  parts.assign(offsets.back(), identity_of(table.combine));
  Writer words;
  std::unique_ptr<OpenScratch> room = scratch != nullptr ? scratch->take(rows.table, table, task.shard) : nullptr;
  Status status = call_hook(plugin, "Push::push", where, [&] {
    std::vector<Entry> entries;
    entries.reserve(rows.keys.size());
    for (std::size_t i = 0; i < rows.keys.size(); ++i)
      entries.push_back(
          {rows.keys[i],
           view != nullptr ? view->row(rows.keys[i]) : std::span(*values).subspan(i * table.row_width, table.row_width),
           std::span(parts).subspan(offsets[i], offsets[i + 1] - offsets[i])});
    Random random = random_for(seed, Stream::push_shared, task.epoch, task.shard, task.round);
    items =
        as<SharedPush>(push).push(SharedTask{task.epoch, task.round, rows.table, entries, rows.blocks, rows.argument,
                                             words, room != nullptr ? room->parts() : OpenParts(entries)},
                                  random);
  });
  if (room != nullptr) open_parts = scratch->parts(rows.table, task.shard, std::move(room));
  bool valid = are_parts(parts, table.combine);
  for (const SparseRows::Piece& piece : open_parts.pieces()) valid = valid && are_parts(piece.numbers, table.combine);
  const char* const wrong = !valid ? "a part is not a finite number"
                            : !takes_notes(table, rows.open, kSinglePartition) && !words.view().empty()
                                ? "a note, and the table spans partitions"
                                : nullptr;
  if (status.ok() && wrong != nullptr)
    status = Status(ExitCode::failed, "plugin " + std::string(plugin) + ", Push::push, " + where + ": " + wrong);
  note = Bytes::from(words.take());
  return status;
}

Status Refresh::run(std::string_view plugin, ShardId shard, Push& push) const {
  for (const auto& commit : commits) {
    const std::vector<Delta> deltas = commit->deltas();
    ROTA_TRY(call_hook(plugin, "Push::refresh", "round " + std::to_string(commit->rows.round) + ", " + name_of(shard),
                       [&] { push.refresh(commit->commit(deltas)); }));
  }
  return {};
}

std::shared_ptr<RoundPush> SharedRounds::push_of(const Task& task) {
  const SharedRows& rows = state_.commits.rows(task.round);
  const Table& table = state_.commits.table(rows.table);
  auto push = std::make_shared<RoundPush>(RoundPush{.task = task, .rows = rows, .table = table});
  if (table.dense) {
    push->view = &state_.views().tables()[rows.table];
  } else {
    const std::uint64_t commits = seen(task.shard).refreshed;
    if (shown_.round != task.round || shown_.commits != commits)
      shown_ = {
          task.round, commits,
          std::make_shared<const std::vector<double>>(state_.commits.values(task.round, between(commits, come())))};
    push->values = shown_.values;
  }
  if (rows.open) push->scratch = &scratch_;
  return push;
}

void SharedRounds::pushed(RoundPush& push, Outbox& out) {
  const RoundId round = push.task.round;
  const ShardId shard = push.task.shard;
  ++seen(shard).pushed;
  seen(shard).epoch = push.task.epoch;
  std::vector<std::pair<std::uint32_t, Parts>> parts;
  if (push.rows.open) {
    parts = part_sums_.add_open(round, shard, std::move(push.open_parts), push.note,
                                ranges_of(push.table, state_.job().partitions), push.table.combine);
  } else {
    const auto homes = state_.commits.homes(round);
    parts = part_sums_.add(round, shard, std::move(push.parts), push.note,
                           {state_.commits.partitions_of(round), push.offsets, homes}, push.table.combine);
  }
  for (auto& [partition, sums] : parts) out.send({Role::partition, partition}, std::move(sums));
}

std::vector<std::shared_ptr<const RoundDeltas>> SharedRounds::between(std::uint64_t begin, std::uint64_t end) const {
  const auto at = [this](std::uint64_t commit) {
    return committed_.begin() + static_cast<std::ptrdiff_t>(commit - first_);
  };
  return {at(begin), at(end)};
}

Refresh SharedRounds::take_due(const LocalShard& shard) {
  std::uint64_t& refreshed = seen(shard.id).refreshed;
  const std::uint64_t upto = std::min(due(shard), come());
  if (refreshed >= upto) return {};
  Refresh refresh{between(refreshed, upto)};
  refreshed = upto;
  std::uint64_t seen_by_all = upto;
  for (const Seen& one : seen_) seen_by_all = std::min(seen_by_all, one.refreshed);
  for (; first_ < seen_by_all; ++first_) committed_.pop_front();
  return refresh;
}

void SharedRounds::advance_views() {
  Views& views = state_.views();
  if (!views.any() || views.commits() == come()) return;
  std::uint64_t upto = come();
  for (const LocalShard& shard : shards_) upto = std::min(upto, shard.busy ? views.commits() : due(shard));
  while (views.commits() < upto) views.apply(*committed_[views.commits() - first_]);
}

}  // namespace rota
