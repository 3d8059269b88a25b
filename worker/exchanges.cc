#include "worker/exchanges.h"

#include <algorithm>

#include "core/base/seed.h"
#include "core/rounds/push_kinds.h"
#include "rota/exchange/exchange_push.h"

namespace rota {

bool ShardExchanges::arrive(const Scattered& message) {
  if (message.dataflow >= routes_->size() || message.step >= routes(message.dataflow).steps()) return false;
  const std::vector<ShardId>& senders = routes(message.dataflow).senders[message.step][shard_];
  if (!std::ranges::binary_search(senders, message.from)) return false;
  if (!lag_.asynchronous || !lags(message.dataflow))
    return here_[{message.round, message.step}].emplace(message.from, message.bytes).second;
  if (++come_[message.round] > senders.size()) return false;
  Newest& newest = newest_[message.from];
  if (newest.round < message.round) newest = {message.round, message.bytes};
  return true;
}

bool ShardExchanges::all_here(const Open& open) const {
  const std::size_t senders = routes(*open.task.dataflow).senders[open.step][shard_].size();
  if (senders == 0) return true;
  if (lag_.asynchronous && lags(*open.task.dataflow)) {
    const auto come = come_.find(open.task.round);
    return come != come_.end() && come->second == senders;
  }
  const auto here = here_.find({open.task.round, open.step});
  return here != here_.end() && here->second.size() == senders;
}

bool ShardExchanges::may_begin(const ShardSteps::Step& next) const {
  if (open_.empty()) return true;
  if (!lags(next) || !lags(*open_.front().task.dataflow)) return false;
  return lag_.asynchronous || open_.size() <= lag_.staleness;
}

bool ShardExchanges::comes_first(const ShardSteps& steps) const {
  if (lags(*open_.front().task.dataflow) && (steps.empty() || may_begin(steps.front()))) return false;
  return lag_.asynchronous ? std::ranges::all_of(open_, [this](const Open& o) { return all_here(o); })
                           : all_here(open_.front());
}

ShardExchanges::Due ShardExchanges::take_due() {
  const Open first = open_.front();
  if (lag_.asynchronous && lags(*first.task.dataflow)) {
    const Task last = open_.back().task;
    for (const Open& open : std::exchange(open_, {})) come_.erase(open.task.round);
    return *take_newest(last);
  }
  open_.pop_front();
  Due due{first.task, first.step};
  if (auto here = here_.extract({first.task.round, first.step}))
    for (auto& [from, bytes] : here.mapped()) due.messages.push_back({from, std::move(bytes)});
  if (first.step + 1 < routes(*first.task.dataflow).steps()) due.next = first.step + 1;
  return due;
}

std::optional<ShardExchanges::Due> ShardExchanges::take_newest(const Task& task) {
  if (!lag_.asynchronous || !lags(*task.dataflow)) return std::nullopt;
  Due due{task, 0};
  for (auto& [from, newest] : newest_)
    if (const auto bytes = std::exchange(newest.bytes, std::nullopt)) due.messages.push_back({from, *bytes});
  return due;
}

// ---- a turn ----

namespace {

ExchangeTask shown(const Task& task) {
  return {task.epoch, task.round, *task.dataflow, task.argument};
}

}  // namespace

Status ExchangeWork::run(const WorkerState& state, ShardId shard) {
  if (gather) {
    const Task& task = gather->task;
    ROTA_TRY(state.hook("Push::gather", where(task), [&] {
      as<ExchangePush>(state.push(shard)).gather(shown(task), gather->step, gather->messages);
    }));
    if (gather->next) ROTA_TRY(send(state, shard, task, *gather->next));
  }
  if (!push) return {};
  ROTA_TRY(state.hook("Push::push", where(*push), [&] {
    Random random = random_for(state.job().seed, Stream::push_exchange, push->epoch, shard, push->round);
    items = as<ExchangePush>(state.push(shard)).push(shown(*push), random);
  }));
  return send(state, shard, *push, 0);
}

Status ExchangeWork::send(const WorkerState& state, ShardId shard, const Task& task, std::uint32_t step) {
  Outgoing out(state.routes[*task.dataflow].receivers[step][shard]);
  ROTA_TRY(state.hook("Push::scatter", where(task),
                      [&] { as<ExchangePush>(state.push(shard)).scatter(shown(task), step, out); }));
  sent = Sent{task, step, out.take()};
  return {};
}

}  // namespace rota
