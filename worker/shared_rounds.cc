#include "worker/shared_rounds.h"

#include <string>
#include <utility>

#include "core/job/plugin_host.h"

namespace rota {

Status Refresh::run(std::string_view plugin, ShardId shard, Push& push) const {
  for (const auto& commit : commits) {
    const std::vector<Delta> deltas = commit->deltas();
    ROTA_TRY(call_hook(plugin, "Push::refresh", "round " + std::to_string(commit->rows.round) + ", " + name_of(shard),
                       [&] { push.refresh(commit->commit(deltas)); }));
  }
  return {};
}

SharedRounds::SharedRounds(WorkerState& state, const std::vector<LocalShard>& shards)
    : state_(state),
      shards_(shards),
      seen_(shards.size()),
      part_sums_(state.hosted.first, state.hosted.end, state.job().shards) {}

std::shared_ptr<SharedPush> SharedRounds::push_of(const Task& task) {
  const SharedRows& rows = state_.commits.rows(task.round);
  const Table& table = state_.commits.table(rows.table);
  auto push = std::make_shared<SharedPush>(SharedPush{.task = task, .rows = rows, .table = table});
  if (table.dense)
    push->view = &state_.views().tables()[rows.table];
  else
    push->values = state_.commits.values(task.round, between(seen(task.shard).refreshed, come()));
  if (rows.open) push->scratch = &scratch_;
  return push;
}

void SharedRounds::pushed(SharedPush& push, Outbox& out) {
  const RoundId round = push.task.round;
  const ShardId shard = push.task.shard;
  ++seen(shard).pushed;
  seen(shard).epoch = push.task.epoch;
  std::vector<std::pair<std::uint32_t, Parts>> parts;
  if (push.rows.open) {
    parts = part_sums_.add_open(round, shard, std::move(push.open_parts), push.note,
                                ranges_of(push.table, state_.settings.partitions));
  } else {
    const auto homes = state_.commits.homes(round);
    parts = part_sums_.add(round, shard, std::move(push.parts), push.note,
                           {state_.commits.partitions_of(round), push.offsets, homes});
  }
  for (auto& [partition, sums] : parts) out.send({Role::partition, partition}, std::move(sums));
}

Status SharedRounds::commit(std::uint32_t partition, const Deltas& deltas) {
  auto rounds = state_.commits.commit(partition, deltas);
  if (!rounds.ok()) return rounds.status();
  for (RoundDeltas& round : *rounds) committed_.push_back(std::make_shared<const RoundDeltas>(std::move(round)));
  return {};
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
