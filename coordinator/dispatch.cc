#include "coordinator/dispatch.h"

#include <algorithm>

#include "core/rounds/commits.h"
#include "core/rounds/placement.h"
#include "core/rounds/rules.h"

namespace rota {

bool Turns::add(std::uint32_t scheduler, const Rounds& rounds) {
  if (scheduler >= lanes_.size()) return false;
  Lane& lane = lanes_[scheduler];
  if (rounds.first != lane.next_in) return false;
  lane.next_in += rounds.rounds.size();
  for (const Round& round : rounds.rounds) lane.waiting.push_back({round, rounds.feedback});
  return true;
}

std::optional<Turns::Turn> Turns::take() {
  while (lanes_[at_].ended) at_ = (at_ + 1) % lanes_.size();
  Lane& lane = lanes_[at_];
  if (lane.waiting.empty()) return std::nullopt;
  Turn turn{std::move(lane.waiting.front().round), static_cast<std::uint32_t>(at_), lane.next_out++,
            lane.waiting.front().feedback};
  lane.waiting.pop_front();
  at_ = (at_ + 1) % lanes_.size();
  if (!turn.round.ends_epoch) return turn;
  lane.ended = true;
  merge_answers(ends_job_, turn.round.ends_job);
  turn.round.ends_epoch = std::ranges::all_of(lanes_, [](const Lane& one) { return one.ended; });
  turn.round.ends_job = turn.round.ends_epoch && *ends_job_;
  if (turn.round.ends_epoch) {
    for (Lane& one : lanes_) one.ended = false;
    ends_job_.reset();
    at_ = 0;
  }
  return turn;
}

// Tasks of an evaluation are numbered as rounds are, from here on: so they are never taken for one, and what a round
// draws does not depend on how often the model was evaluated.
constexpr RoundId kFirstOfEvaluations = RoundId{1} << 63;

Dispatch::Dispatch(ShardHosts hosts, std::uint32_t shards, std::uint32_t slices, std::uint32_t partitions,
                   std::vector<Table> tables)
    : hosts_(std::move(hosts)), shards_(shards), partitions_(partitions), tables_(std::move(tables)), holder_(slices) {
  for (SliceId b = 0; b < slices; ++b) holder_[b] = {0, home_shard(b, shards, slices)};
}

Status Dispatch::add(RoundId id, Turns::Turn turn, Epoch epoch) {
  ROTA_TRY(check_round(id, turn.round, tables_, shards_, holder_.size()));
  waiting_.push_back({id, epoch, std::move(turn)});
  return {};
}

void Dispatch::give_out() {
  const Waiting next = std::move(waiting_.front());
  waiting_.pop_front();
  const Round& round = next.turn.round;
  const bool shared = is_shared(round);
  for (ShardId s = 0; s < shards_; ++s) {
    Task task{next.id, next.epoch, s, std::nullopt, shared, round.ends_epoch};
    if (!round.owned.empty()) task.slice = round.owned[s];
    if (task.slice) {
      Holder& holder = holder_[*task.slice];
      task.visit = holder.visits++;
      task.last_visit = round.last_visits;
      hand_over(*task.slice, next.id, s);
    }
    task.dataflow = round.dataflow;
    if (task.slice || task.dataflow) task.argument = round.argument;
    if (task.slice || shared || task.dataflow || task.ends_epoch) tasks_[hosts_.worker_of(s)].tasks.push_back(task);
  }
  if (shared) {
    const Table& table = tables_[round.table];
    const SharedRows whole{next.id, round.table, round.shared, round.blocks, round.argument, round.open};
    std::map<std::uint32_t, std::vector<Key>> keys;
    if (table.single_partition) keys[kSinglePartition];
    if (round.open)
      for (const auto& [partition, range] : ranges_of(table, partitions_)) keys[partition];
    for (const Key key : round.shared) keys[home_of_row(table, round.table, key, partitions_)].push_back(key);
    for (auto& [partition, own] : keys) {
      Expect expect{{next.id, round.table, std::move(own), round.blocks, round.argument, round.open}, {}};
      if (next.turn.feedback) expect.awaited_by = AwaitedBy{next.turn.scheduler, next.turn.own, *next.turn.feedback};
      expects_.emplace_back(partition, std::move(expect));
    }
    for (const ShardRange& range : hosts_.ranges()) tasks_[range.worker].shared.push_back(whole);
  }
  if (round.ends_epoch)
    for (Holder& holder : holder_) holder.visits = 0;
}

void Dispatch::hand_over(SliceId slice, RoundId round, ShardId shard) {
  Holder& holder = holder_[slice];
  tasks_[hosts_.worker_of(holder.shard)].handovers.push_back({slice, holder.round, round, shard});
  holder.round = round;
  holder.shard = shard;
}

void Dispatch::give_out_visits(Epoch epoch) {
  const auto slices = static_cast<std::uint32_t>(holder_.size());
  for (std::uint32_t step = 0; step < std::max(slices, shards_); ++step) {
    const RoundId round = kFirstOfEvaluations + evaluating_rounds_++;
    for (ShardId s = 0; s < shards_; ++s) {
      const auto slice = slice_at_step(s, step, shards_, slices);
      if (!slice) continue;
      hand_over(*slice, round, s);
      Task task{round, epoch, s, slice};
      task.evaluates = true;
      tasks_[hosts_.worker_of(s)].tasks.push_back(std::move(task));
    }
  }
}

}  // namespace rota
