#include "worker/shard_executor.h"

#include <utility>

#include "core/base/seed.h"
#include "core/rounds/push_kinds.h"

namespace rota {

namespace {

// What `call` returns; its time is added.
template <typename Call>
auto timed(Nanoseconds& sum, const Call& call) {
  const Nanoseconds began = now_ns();
  auto outcome = call();
  sum += now_ns() - began;
  return outcome;
}

}  // namespace

ShardExecutor::ShardExecutor(WorkerState& state, EpochWork& epoch_work) : state_(state), epoch_work_(epoch_work) {
  const ShardExchanges::Lag lag{state.job().staleness, state.job().asynchronous};
  for (ShardId s = state.hosted.first; s < state.hosted.end; ++s)
    shards_.push_back({s, ShardExchanges(s, lag, state.routes)});
}

Status ShardExecutor::on(const Tasks& tasks, NodeId, Outbox& out) {
  for (const SharedRows& rows : tasks.shared) ROTA_TRY(shared_.begin(rows));
  for (const Task& task : tasks.tasks) {
    const bool known = (!task.slice || *task.slice < state_.cut().slices.size()) &&
                       (!task.shared || shared_.is_open(task.round)) &&
                       (!task.dataflow || *task.dataflow < state_.routes.size());
    if (!state_.hosts(task.shard) || !known || (task.evaluates && !(epoch_work_.evaluates() && task.slice)))
      return {ExitCode::bug, "an invalid task for shard " + std::to_string(task.shard)};
    shard(task.shard).steps.add(task);
    if (!task.evaluates) tallies_.begin(task.epoch, out);
  }
  for (const Handover& handover : tasks.handovers)
    if (handover.shard >= state_.job().shards || !state_.leases.set_next(handover))
      return {ExitCode::bug, "conflicting handovers of slice " + std::to_string(handover.slice)};
  for (const Handover& handover : tasks.handovers) move_on(handover.slice, out);
  return run_ready(out);
}

Status ShardExecutor::on(const Lease& lease, NodeId, Outbox& out) {
  if (!state_.hosts(lease.shard) || lease.slice >= state_.cut().slices.size())
    return {ExitCode::bug, "slice " + std::to_string(lease.slice) + " reached shard " + std::to_string(lease.shard) +
                               ", which is not here, or is no slice of the cut"};
  if (!state_.leases.arrive(lease.slice, lease.to, lease.rows))
    return {ExitCode::bug, "slice " + std::to_string(lease.slice) + " has two holders"};
  return run_ready(out);
}

Status ShardExecutor::on(const Scattered& message, NodeId from, Outbox& out) {
  if (!state_.hosts(message.to) || !shard(message.to).exchanges.arrive(message))
    return {ExitCode::bug, "a message of round " + std::to_string(message.round) + " reached shard " +
                               std::to_string(message.to) + ", which gets none there"};
  return from == state_.id() ? Status() : run_ready(out);
}

Status ShardExecutor::on(const Deltas& deltas, NodeId from, Outbox& out) {
  ROTA_TRY(shared_.commit(from.index, deltas));
  return run_ready(out);
}

// ---- which step begins next ----

// Whether a shard's next step can begin, with the commits that it is to refresh from before; or it has to gather.  An
// epoch's end takes no thread, and so none where it could refresh.
bool ShardExecutor::runnable(const LocalShard& shard) const {
  if (shard.busy) return false;
  if (shard.exchanges.has_due(shard.steps)) return true;
  if (shard.steps.empty() || !shard.exchanges.may_begin(shard.steps.front()) || !shared_.may_step(shard)) return false;
  const ShardSteps::Step& step = shard.steps.front();
  switch (step.what) {
    case What::slice:
      return state_.leases.ready(*step.task.slice, step.task.round);
    case What::epoch_end:
      return shared_.is_refreshed(shard);
    case What::shared:
    case What::exchange:
      break;
  }
  return true;
}

// Of one that is runnable, or has a step.
RoundId ShardExecutor::next_round(const LocalShard& shard) {
  return shard.exchanges.has_due(shard.steps) ? shard.exchanges.first_round() : shard.steps.front().task.round;
}

// Whether it is begun however many tasks run.
bool ShardExecutor::joins(const LocalShard& shard) const {
  if (shard.exchanges.has_due(shard.steps)) return false;
  if (shard.steps.next_is(What::epoch_end)) return true;
  return shard.steps.next_is(What::shared) && go_together(state_.commits.table_of(shard.steps.front().task.round));
}

// The shard whose step is begun next, if one can be.
LocalShard* ShardExecutor::next_shard() {
  const bool full = running_ >= state_.at_once();
  for (const std::uint32_t lane : lanes_.by_need())
    if (LocalShard* const shard = next_shard(lane, full)) return shard;
  return nullptr;
}

// Of a lane: earliest round first, then the lowest shard, which is the one whose slice leaves the worker and is waited
// for.  But neighbours continue with their slices (lanes.h).
LocalShard* ShardExecutor::next_shard(std::uint32_t lane, bool full) {
  const Neighbours& neighbours = lanes_.neighbours(lane);
  const auto earliest = [&](ShardId begin, ShardId end, bool near) {
    LocalShard* best = nullptr;
    for (ShardId id = begin; id < end; ++id) {
      LocalShard& one = shard(id);
      // What is cheap to see first: with many shards this is looked at more often than anything else.
      if (one.busy || (full && !joins(one)) || (neighbours.has(id) && visits(one)) != near) continue;
      if (best != nullptr && !one.steps.empty() && next_round(one) >= next_round(*best)) continue;
      if (runnable(one) && (best == nullptr || next_round(one) < next_round(*best))) best = &one;
    }
    return best;
  };
  const ShardId begin = lanes_.begin(lane), end = lanes_.end(lane);
  LocalShard* const near = full ? nullptr : earliest(neighbours.begin(), std::min(neighbours.end(), end), true);
  if (near != nullptr && !neighbours.looks_at_others()) return near;
  LocalShard* const other = earliest(begin, end, false);
  if (near == nullptr || other == nullptr) return near != nullptr ? near : other;
  return Neighbours::go_first(next_round(*near), next_round(*other), visits(*other)) ? near : other;
}

Status ShardExecutor::run_ready(Outbox& out) {
  shared_.advance_views();
  if (shared_.has_unseen())
    for (LocalShard& shard : shards_) refresh(shard, out);
  while (LocalShard* shard = next_shard()) {
    if (visits(*shard)) lanes_.neighbours(lanes_.of(shard->id)).go_on_with(shard->id);
    begin(*shard, out);
  }
  if (epoch_work_.awaits() && quiet()) epoch_work_.begin_awaiting(out);
  return {};
}

// ---- what a step does ----

void ShardExecutor::begin(LocalShard& shard, Outbox& out) {
  if (shard.exchanges.has_due(shard.steps)) return exchange(shard, {}, {.gather = shard.exchanges.take_due()}, out);
  Refresh refresh = shared_.take_due(shard);
  const ShardSteps::Step step = shard.steps.take();
  switch (step.what) {
    case What::slice:
      return visit(shard, std::move(refresh), step.task, out);
    case What::shared:
      return push_shared(shard, std::move(refresh), step.task, out);
    case What::exchange:
      return exchange(shard, std::move(refresh), {shard.exchanges.take_newest(step.task), step.task}, out);
    case What::epoch_end:
      if (auto done = tallies_.shard_done(step.task.epoch, out)) out.send(kCoordinator, *std::move(done));
  }
}

// A compute thread's turn with a shard: it refreshes, and does what `hook` does; `end` follows on the node's thread,
// with what the turn took.
template <typename Hook, typename End>
Work ShardExecutor::work_on(LocalShard& shard, Refresh refresh, Hook hook, End end) {
  shard.busy = true;
  return [this, &shard, refresh = std::move(refresh), hook = std::move(hook),
          end = std::move(end)]() mutable -> Continuation {
    const Nanoseconds began = now_ns();
    Worked worked;
    Status status = refresh.run(plugin(), shard.id, state_.push(shard.id));
    if (status.ok()) status = hook(worked);
    worked.compute = now_ns() - began - worked.wire;
    return [this, &shard, end = std::move(end), worked, status](Outbox& later) -> Status {
      ROTA_TRY(status);
      shard.busy = false;
      ROTA_TRY(end(worked, later));
      return run_ready(later);
    };
  };
}

// A shard that waits for a slice refreshes meanwhile; any other just before its step, in the same turn of a thread.
void ShardExecutor::refresh(LocalShard& shard, Outbox& out) {
  if (shard.busy || !shared_.may_refresh(shard) || runnable(shard) || !shard.exchanges.settled()) return;
  Refresh refresh = shared_.take_due(shard);
  if (refresh.empty()) return;
  out.start_together(work_on(
                         shard, std::move(refresh), [](Worked&) { return Status(); },
                         [this, &shard](const Worked& worked, Outbox& later) {
                           refreshing_.add(worked.compute);
                           tallies_.add_work(shared_.epoch(shard), worked, later);
                           return Status();
                         }),
                     refreshing_.expected());
}

// Of a slice, by a push or in an evaluation.
void ShardExecutor::visit(LocalShard& shard, Refresh refresh, const Task& task, Outbox& out) {
  const SliceId slice = *task.slice;
  HeldSlice& held = state_.leases.use(slice);
  // If it is known to leave the worker after this, the compute thread makes it into bytes at once.
  const Handover* next = state_.leases.next_of(slice, task.round);
  const bool leaves = next != nullptr && !state_.hosts(next->shard);
  Work work = work_on(
      shard, std::move(refresh),
      [this, &held, task, slice, leaves](Worked& worked) -> Status {
        if (held.rows == nullptr)
          ROTA_TRY(timed(worked.wire, [&] { return held.decode(*state_.app, state_.cut(), slice); }));
        ROTA_TRY(task.evaluates ? epoch_work_.visit(task.shard, slice, *held.rows)
                                : push_slice(task, *held.rows, worked.items));
        if (!leaves) return {};
        auto bytes = timed(worked.wire, [&] { return held.to_bytes(plugin(), slice); });
        if (bytes.ok()) held.bytes = *std::move(bytes);
        return bytes.status();
      },
      [this, &shard, slice, epoch = task.epoch, evaluates = task.evaluates](const Worked& worked, Outbox& later) {
        --running_;
        lanes_.ended(shard.id);
        if (!evaluates) {
          visiting_.add(worked.compute + worked.wire);
          tallies_.add_work(epoch, worked, later);
        }
        state_.leases.release(slice);
        move_on(slice, later);
        if (evaluates) epoch_work_.visited(later);
        return Status();
      });
  ++running_;
  lanes_.begun(shard.id);
  waiting_visits_->add(lanes_.of(shard.id), std::move(work));
  out.start_chained([visits = waiting_visits_] { return visits->do_one(); },
                    alone() && !task.evaluates ? visiting_.expected() : Outbox::kUnknown);
}

Status ShardExecutor::push_slice(const Task& task, Slice& rows, std::uint64_t& items) const {
  return state_.hook("Push::push", where(task), [&] {
    const bool limited = state_.job().step_budget > 0 && task.epoch > 0;
    const Budget budget = limited ? Budget(now_ns() + state_.job().step_budget, &now_ns) : Budget();
    Random random = random_for(state_.job().seed, Stream::push_slice, task.epoch, task.shard, *task.slice);
    const SliceTask visit{*task.slice, task.epoch, task.round, task.visit, task.last_visit, task.argument, budget};
    items = as<AnySlicePush>(state_.push(task.shard)).push_any(visit, rows, random);
  });
}

// Sends a slice on, or makes it due here, if it is free and its way is known.
void ShardExecutor::move_on(SliceId slice, Outbox& out) {
  auto departure = state_.leases.move_on(slice, [this](ShardId shard) { return state_.hosts(shard); });
  if (departure) depart(std::move(*departure), out);
}

void ShardExecutor::depart(Leases::Departure departure, Outbox& out) {
  const auto send = [this, handover = departure.handover](const Bytes& bytes, Nanoseconds wire, Outbox& now) {
    tallies_.add_slice(bytes.size(), wire);
    now.send({Role::worker, state_.shard_hosts.worker_of(handover.shard)},
             Lease{handover.slice, handover.to, handover.shard, bytes});
  };
  if (departure.slice.encoded()) return send(departure.slice.bytes, 0, out);
  const auto slice = std::make_shared<HeldSlice>(std::move(departure.slice));
  const auto encode = [this, id = departure.handover.slice, slice]() -> Result<std::pair<Bytes, Nanoseconds>> {
    Nanoseconds wire = 0;
    ROTA_ASSIGN(Bytes bytes, timed(wire, [&] { return slice->to_bytes(plugin(), id); }));
    return std::pair(std::move(bytes), wire);
  };
  const auto encoded = [this, send](const auto& made, Outbox& later) {
    encoding_.add(made.second);
    send(made.first, made.second, later);
  };
  out.start_chained(followed_by(encode, encoded), alone() ? encoding_.expected() : Outbox::kUnknown);
}

void ShardExecutor::push_shared(LocalShard& shard, Refresh refresh, const Task& task, Outbox& out) {
  const std::shared_ptr<RoundPush> push = shared_.push_of(task);
  Work work = work_on(
      shard, std::move(refresh),
      [this, push](Worked& worked) -> Status {
        ROTA_TRY(push->run(plugin(), where(push->task), state_.job().seed, state_.push(push->task.shard)));
        worked.items = push->items;
        return {};
      },
      [this, push](const Worked& worked, Outbox& later) {
        --running_;
        pushing_.add(worked.compute);
        tallies_.add_work(push->task.epoch, worked, later);
        shared_.pushed(*push, later);
        return Status();
      });
  ++running_;
  if (go_together(push->table))
    out.start_together(std::move(work), pushing_.expected());
  else
    out.start_chained(std::move(work), pushing_.expected());
}

void ShardExecutor::exchange(LocalShard& shard, Refresh refresh, ExchangeWork work, Outbox& out) {
  const auto turn = std::make_shared<ExchangeWork>(std::move(work));
  ++running_;
  out.start_chained(work_on(
      shard, std::move(refresh),
      [this, &shard, turn](Worked& worked) -> Status {
        ROTA_TRY(turn->run(state_, shard.id));
        worked.items = turn->items;
        return {};
      },
      [this, &shard, turn](const Worked& worked, Outbox& later) {
        --running_;
        tallies_.add_work((turn->push ? *turn->push : turn->gather->task).epoch, worked, later);
        return turn->sent ? scatter(shard, *turn->sent, later) : Status();
      }));
}

Status ShardExecutor::scatter(LocalShard& shard, ExchangeWork::Sent& sent, Outbox& out) {
  const Task& task = sent.task;
  const std::vector<ShardId>& receivers = state_.routes[*task.dataflow].receivers[sent.step][shard.id];
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    Scattered message{task.round, *task.dataflow, sent.step, shard.id, receivers[i], std::move(sent.messages[i])};
    tallies_.add_exchange_bytes(task.epoch, message.bytes.size(), out);
    if (state_.hosts(message.to))
      ROTA_TRY(on(message, state_.id(), out));
    else
      out.send({Role::worker, state_.shard_hosts.worker_of(message.to)}, std::move(message));
  }
  shard.exchanges.sent(task, sent.step);
  return {};
}

}  // namespace rota
