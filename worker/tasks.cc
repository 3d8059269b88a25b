// worker/tasks.cc -- what a Worker does in rounds: its shards' tasks, one after the other.
#include <algorithm>
#include <utility>

#include "core/base/seed.h"
#include "core/job/plugin_host.h"
#include "core/rounds/placement.h"
#include "core/runtime/handle.h"
#include "worker/worker.h"

namespace rota {

std::string Worker::name_of(const Shard& shard) {
  return "shard " + std::to_string(shard.id);
}

std::string Worker::where(const Task& task) {
  return "round " + std::to_string(task.round) + ", shard " + std::to_string(task.shard);
}

Status Worker::on(const Tasks& tasks, NodeId from, Outbox& out) {
  if (!prepared_) return unexpected(tasks.kind, from);
  for (const SharedRows& rows : tasks.shared) ROTA_TRY(commits_.begin(rows));
  for (const Task& task : tasks.tasks) {
    const bool known = (!task.slice || *task.slice < cut().slices.size()) &&
                       (!task.shared || commits_.is_open(task.round)) &&
                       (!task.dataflow || *task.dataflow < routes_.size());
    if (!hosts(task.shard) || !known || (task.evaluates && !(evaluating_ && task.slice)))
      return {ExitCode::bug, "an invalid task for shard " + std::to_string(task.shard)};
    shard(task.shard).steps.add(task);
    if (!task.evaluates) tallies_.begin(task.epoch, out);
  }
  for (const Handover& handover : tasks.handovers)
    if (handover.shard >= job_.shards || !leases_.tell(handover))
      return {ExitCode::bug, "conflicting handovers of slice " + std::to_string(handover.slice)};
  for (const Handover& handover : tasks.handovers) move_on(handover.slice, out);
  return run_ready(out);
}

Status Worker::on(const Lease& lease, NodeId from, Outbox& out) {
  if (!prepared_) return unexpected(lease.kind, from);
  if (!hosts(lease.shard) || lease.slice >= cut().slices.size())
    return {ExitCode::bug, "slice " + std::to_string(lease.slice) + " came to shard " + std::to_string(lease.shard) +
                               ", which is not here, or is no slice of the cut"};
  if (!leases_.arrive(lease.slice, lease.to, lease.rows))
    return {ExitCode::bug, "slice " + std::to_string(lease.slice) + " has two holders"};
  return run_ready(out);
}

// Whether a shard's next step can begin, with the commits that it is to hear of before; or it has to gather.  An
// epoch's end takes no thread, and so none where it could hear of any.
bool Worker::runnable(const Shard& shard) const {
  if (shard.busy) return false;
  if (shard.exchanges.has_due(shard.steps)) return true;
  if (shard.steps.empty() || !shard.exchanges.may_begin(shard.steps.front())) return false;
  if (backlog_.come() < commits_to_see(shard) || !sees_due(shard)) return false;
  const ShardSteps::Step& step = shard.steps.front();
  switch (step.what) {
    case ShardSteps::Step::What::slice:
      return leases_.ready(*step.task.slice, step.task.round);
    case ShardSteps::Step::What::epoch_end:
      return shard.steps.refreshed() >= commits_to_see(shard);
    case ShardSteps::Step::What::shared:
    case ShardSteps::Step::What::exchange:
      break;
  }
  return true;
}

// Of one that is runnable, or has a step.
RoundId Worker::next_round(const Shard& shard) {
  return shard.exchanges.has_due(shard.steps) ? shard.exchanges.first_round() : shard.steps.front().task.round;
}

// Whether it is begun however many tasks run.
bool Worker::joins(const Shard& shard) const {
  if (shard.steps.empty() || shard.exchanges.has_due(shard.steps)) return false;
  const ShardSteps::Step& step = shard.steps.front();
  return step.what == ShardSteps::Step::What::shared && go_together(commits_.table_of(step.task.round));
}

// Whether a shard's next step is a slice's visit.
bool Worker::visits(const Shard& shard) {
  return !shard.steps.empty() && shard.steps.front().what == ShardSteps::Step::What::slice &&
         !shard.exchanges.has_due(shard.steps);
}

// The shard whose step is begun next, if one can be.
Worker::Shard* Worker::next_shard() {
  if (shards_.empty()) return nullptr;  // not read yet
  const bool full = running_ >= settings_.at_once();
  for (const std::uint32_t lane : lanes_.by_need())
    if (Shard* const shard = next_shard(lane, full)) return shard;
  return nullptr;
}

// Of a lane: earliest round first, then the lowest shard, which is the one whose slice leaves the worker and is waited
// for.  But those that are near go on with their slices (neighbours.h).
Worker::Shard* Worker::next_shard(std::uint32_t lane, bool full) {
  const Neighbours& neighbours = lanes_.neighbours(lane);
  const auto earliest = [&](ShardId begin, ShardId end, bool near) {
    Shard* best = nullptr;
    for (ShardId id = begin; id < end; ++id) {
      Shard& one = shard(id);
      // What is cheap to see first: with many shards this is looked at more often than anything else.
      if (one.busy || (full && !joins(one)) || (neighbours.has(id) && visits(one)) != near) continue;
      if (best != nullptr && !one.steps.empty() && next_round(one) >= next_round(*best)) continue;
      if (runnable(one) && (best == nullptr || next_round(one) < next_round(*best))) best = &one;
    }
    return best;
  };
  const ShardId begin = lanes_.begin(lane), end = lanes_.end(lane);
  Shard* const near = full ? nullptr : earliest(neighbours.begin(), std::min(neighbours.end(), end), true);
  if (near != nullptr && !neighbours.looks_at_others()) return near;
  Shard* const other = earliest(begin, end, false);
  if (near == nullptr || other == nullptr) return near != nullptr ? near : other;
  return Neighbours::go_first(next_round(*near), next_round(*other), visits(*other)) ? near : other;
}

Status Worker::run_ready(Outbox& out) {
  advance_views();
  for (Shard& shard : shards_) refresh(shard, out);
  while (Shard* shard = next_shard()) {
    if (visits(*shard)) lanes_.neighbours(lanes_.of(shard->id)).go_on_with(shard->id);
    ROTA_TRY(begin(*shard, out));
  }
  return {};
}

Status Worker::begin(Shard& shard, Outbox& out) {
  if (shard.exchanges.has_due(shard.steps)) {
    exchange(shard, {}, {.gather = shard.exchanges.take_due()}, out);
    return {};
  }
  Refreshing before = take_commits(shard);
  const ShardSteps::Step step = shard.steps.take();
  if (step.what == ShardSteps::Step::What::epoch_end) {
    if (tallies_.shard_done(step.task.epoch, out)) out.send(kCoordinator, tallies_.report(step.task.epoch, out));
    return {};
  }
  if (step.what == ShardSteps::Step::What::exchange) {
    exchange(shard, std::move(before), {shard.exchanges.take_newest(step.task), step.task}, out);
    return {};
  }
  shard.busy = true;
  ++running_;
  if (step.what == ShardSteps::Step::What::slice)
    begin_slice(shard, std::move(before), step.task, out);
  else
    begin_shared(shard, std::move(before), step.task, out);
  return {};
}

// The rows of a slice that came as bytes.
Status Worker::rows_of(SliceId slice, HeldSlice& held) const {
  if (held.rows != nullptr) return {};
  Reader in(held.bytes.view());
  ROTA_TRY(call_hook(plugin_.name, "Slice::decode", "slice " + std::to_string(slice), [&] {
    held.rows = app_->app->slice(cut().slices[slice]);
    held.rows->decode(in);
  }));
  if (!in.done()) return {ExitCode::bug, "slice " + std::to_string(slice) + " came damaged"};
  held.bytes = {};
  return {};
}

Result<Bytes> Worker::bytes_of(SliceId slice, const Slice& rows) const {
  Writer bytes;
  ROTA_TRY(call_hook(plugin_.name, "Slice::encode", "slice " + std::to_string(slice), [&] { rows.encode(bytes); }));
  return Bytes::from(bytes.take());
}

Status Worker::push_slice(Shard& shard, const Task& task, Slice& rows, std::uint64_t& items) const {
  return call_hook(plugin_.name, "Push::push", where(task), [&] {
    const bool limited = settings_.step_budget > 0 && task.epoch > 0;
    const Budget budget = limited ? Budget(now_ns() + settings_.step_budget, &now_ns) : Budget();
    Random random = random_for(job_.seed, Stream::push_slice, task.epoch, task.shard, *task.slice);
    const SliceTask visit{*task.slice, task.epoch, task.round, task.visit, task.last_visit, task.argument, budget};
    items = shard.push->push(visit, rows, random);
  });
}

void Worker::begin_slice(Shard& shard, Refreshing before, const Task& task, Outbox& out) {
  const SliceId slice = *task.slice;
  HeldSlice& held = leases_.use(slice);
  // If it is known to leave the worker after this, the compute thread makes it into bytes at once.
  const Handover* next = leases_.next_of(slice, task.round);
  const bool leaves = next != nullptr && !hosts(next->shard);
  Work visit = [this, &shard, before = std::move(before), &held, task, slice, leaves]() -> Continuation {
    const Nanoseconds began = now_ns();
    std::uint64_t items = 0;
    Status status = before.run(plugin_.name, name_of(shard), *shard.push);
    if (status.ok()) status = rows_of(slice, held);
    if (status.ok())
      status = task.evaluates ? evaluating_->visit(task.shard, *shard.push, slice, *held.rows)
                              : push_slice(shard, task, *held.rows, items);
    if (status.ok() && leaves) {
      auto bytes = bytes_of(slice, *held.rows);
      status = bytes.status();
      if (bytes.ok()) held.bytes = std::move(bytes).value();
    }
    const Nanoseconds took = now_ns() - began;
    return [this, &shard, task, slice, items, took, status](Outbox& later) -> Status {
      ROTA_TRY(status);
      --running_;
      lanes_.ended(shard.id);
      shard.busy = false;
      if (!task.evaluates) tallies_.add_work(task.epoch, items, took, later);
      leases_.release(slice);
      move_on(slice, later);
      if (task.evaluates && evaluating_->visited()) evaluate_shards(later);
      return run_ready(later);
    };
  };
  lanes_.begun(shard.id);
  waiting_visits_->add(lanes_.of(shard.id), std::move(visit));
  out.start_chained([visits = waiting_visits_] { return visits->do_one(); });
}

// Sends a slice on, or makes it due here, if it is free and its way is known.
void Worker::move_on(SliceId slice, Outbox& out) {
  auto departure = leases_.move_on(slice, [this](ShardId shard) { return hosts(shard); });
  if (departure) depart(std::move(*departure), out);
}

void Worker::depart(Leases::Departure departure, Outbox& out) {
  const Handover& handover = departure.handover;
  const NodeId to{Role::worker, settings_.hosts.worker_of(handover.shard)};
  HeldSlice& slice = departure.slice;
  if (slice.rows == nullptr || !slice.bytes.empty()) {  // as it came, or as the compute thread made it
    tallies_.add_slice_bytes(slice.bytes.size());
    out.send(to, Lease{handover.slice, handover.to, handover.shard, slice.bytes});
    return;
  }
  auto rows = std::shared_ptr<Slice>(std::move(slice.rows));
  out.start([this, to, handover, rows]() -> Continuation {
    const Result<Bytes> bytes = bytes_of(handover.slice, *rows);
    return [this, to, handover, bytes](Outbox& later) -> Status {
      ROTA_TRY(bytes.status());
      tallies_.add_slice_bytes(bytes->size());
      later.send(to, Lease{handover.slice, handover.to, handover.shard, *bytes});
      return {};
    };
  });
}

void Worker::begin_shared(Shard& shard, Refreshing before, const Task& task, Outbox& out) {
  const SharedRows& rows = commits_.rows(task.round);
  const Table& table = commits_.table(rows.table);
  auto work = std::make_shared<SharedPush>(SharedPush{.task = task, .rows = rows, .table = table});
  if (table.dense)
    work->view = &views().tables()[rows.table];
  else
    work->values = commits_.values(task.round, backlog_.from(shard.steps.refreshed()));
  if (rows.open) work->scratch = &scratch_;
  const auto push = [this, &shard, before = std::move(before), work]() -> Continuation {
    const Nanoseconds began = now_ns();
    Status status = before.run(plugin_.name, name_of(shard), *shard.push);
    if (status.ok()) status = work->run(plugin_.name, where(work->task), job_.seed, *shard.push);
    const Nanoseconds took = now_ns() - began;
    return [this, &shard, work, took, status](Outbox& later) -> Status {
      ROTA_TRY(status);
      --running_;
      shard.busy = false;
      shard.steps.pushed_shared(work->task.epoch);
      tallies_.add_work(work->task.epoch, work->items, took, later);
      send_parts(*work, later);
      return run_ready(later);
    };
  };
  go_together(table) ? out.start_together(push) : out.start_chained(push);
}

void Worker::send_parts(SharedPush& done, Outbox& out) {
  const RoundId round = done.task.round;
  const ShardId shard = done.task.shard;
  std::vector<std::pair<std::uint32_t, Parts>> parts;
  if (done.rows.open) {
    parts = part_sums_.add_open(round, shard, std::move(done.open_parts), done.note,
                                ranges_of(done.table, settings_.partitions));
  } else {
    const auto homes = commits_.homes(round);
    parts = part_sums_.add(round, shard, std::move(done.parts), done.note,
                           {commits_.partitions_of(round), done.offsets, homes});
  }
  for (auto& [partition, sums] : parts) out.send({Role::partition, partition}, std::move(sums));
}

void Worker::exchange(Shard& shard, Refreshing before, ExchangeWork work, Outbox& out) {
  shard.busy = true;
  ++running_;
  out.start_chained([this, &shard, before = std::move(before),
                     work = std::make_shared<ExchangeWork>(std::move(work))]() -> Continuation {
    const Nanoseconds began = now_ns();
    Status status = before.run(plugin_.name, name_of(shard), *shard.push);
    if (status.ok()) status = work->run(plugin_.name, job_.seed, routes_, shard.id, *shard.push);
    const Nanoseconds took = now_ns() - began;
    return [this, &shard, work, took, status](Outbox& later) -> Status {
      ROTA_TRY(status);
      --running_;
      shard.busy = false;
      tallies_.add_work((work->push ? *work->push : work->gather->task).epoch, work->items, took, later);
      if (work->sent) ROTA_TRY(scatter(shard, *work->sent, later));
      return run_ready(later);
    };
  });
}

Status Worker::scatter(Shard& shard, ExchangeWork::Sent& sent, Outbox& out) {
  const Task& task = sent.task;
  const std::vector<ShardId>& receivers = routes_[*task.dataflow].receivers[sent.step][shard.id];
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    Scattered message{task.round, *task.dataflow, sent.step, shard.id, receivers[i], std::move(sent.messages[i])};
    tallies_.add_exchange_bytes(task.epoch, message.bytes.size(), out);
    if (hosts(message.to))
      ROTA_TRY(on(message, id(), out));
    else
      out.send({Role::worker, settings_.hosts.worker_of(message.to)}, std::move(message));
  }
  shard.exchanges.sent(task, sent.step);
  return {};
}

Status Worker::on(const Scattered& message, NodeId from, Outbox& out) {
  if (!prepared_) return unexpected(message.kind, from);
  if (!hosts(message.to) || !shard(message.to).exchanges.arrive(message))
    return {ExitCode::bug, "a message of round " + std::to_string(message.round) + " came to shard " +
                               std::to_string(message.to) + ", which gets none there"};
  return from == id() ? Status() : run_ready(out);
}

Status Worker::on(const Deltas& deltas, NodeId from, Outbox& out) {
  if (deltas.rows.round == 0) {
    // A partition may have its facts before this worker does.
    if (!has_facts_) {
      early_.push_back(deltas);
      return {};
    }
    ROTA_TRY(restore_rows(deltas));
    ready_if_prepared(out);
    return {};
  }
  auto rounds = commits_.commit(from.index, deltas);
  if (!rounds.ok()) return rounds.status();
  for (RoundDeltas& round : *rounds) backlog_.add(std::move(round));
  return run_ready(out);
}

// How many commits a shard must have refreshed from before its next step.
std::uint64_t Worker::commits_to_see(const Shard& shard) const {
  const std::uint64_t due =
      settings_.asynchronous ? shard.steps.due_asynchronous(backlog_.come()) : shard.steps.due(settings_.staleness);
  // An epoch begins behind the end of the one before, where all was seen.
  return std::max(due, shard.steps.refreshed());
}

// Whether the views hold just the commits that a shard is to see.
bool Worker::sees_due(const Shard& shard) const {
  return !views().any() || views().commits() == commits_to_see(shard);
}

// All shards look into the same views.  So these go on by a commit when every shard is to see it, and none is in a
// hook; until then whoever is ahead waits for those behind, who have an earlier round before them and so wait for
// nobody ahead.
void Worker::advance_views() {
  if (!views().any()) return;
  const auto may_change = [this](const Shard& shard) {
    return !shard.busy && commits_to_see(shard) > views().commits();
  };
  while (views().commits() < backlog_.come() && std::all_of(shards_.begin(), shards_.end(), may_change))
    views().apply(*backlog_.at(views().commits()));
}

// The commits that a shard is to refresh from now, as far as they have come.
Refreshing Worker::take_commits(Shard& shard) {
  const std::uint64_t upto = std::min(commits_to_see(shard), backlog_.come());
  if (shard.steps.refreshed() >= upto) return {};
  Refreshing commits{backlog_.between(shard.steps.refreshed(), upto)};
  shard.steps.refresh_until(upto);
  std::uint64_t seen_by_all = upto;
  for (const Shard& one : shards_) seen_by_all = std::min(seen_by_all, one.steps.refreshed());
  backlog_.forget_before(seen_by_all);
  return commits;
}

// A shard that waits for a slice hears of commits meanwhile; any other just before its step, in the same turn of
// a thread.
void Worker::refresh(Shard& shard, Outbox& out) {
  if (shard.busy || shard.steps.refreshed() >= backlog_.come() || runnable(shard) || !shard.exchanges.settled() ||
      !sees_due(shard))
    return;
  Refreshing commits = take_commits(shard);
  if (commits.empty()) return;
  shard.busy = true;
  out.start_together([this, &shard, commits = std::move(commits)]() -> Continuation {
    const Nanoseconds began = now_ns();
    const Status status = commits.run(plugin_.name, name_of(shard), *shard.push);
    return [this, &shard, took = now_ns() - began, status](Outbox& later) -> Status {
      ROTA_TRY(status);
      shard.busy = false;
      tallies_.add_work(shard.steps.epoch(), 0, took, later);
      return run_ready(later);
    };
  });
}

}  // namespace rota
