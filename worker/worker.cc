#include "worker/worker.h"

#include <algorithm>
#include <utility>

#include "core/base/seed.h"
#include "core/job/plugin_host.h"
#include "core/job/tables.h"
#include "core/rounds/placement.h"
#include "core/runtime/handle.h"

namespace rota {

namespace {

// Tasks given to the compute threads beyond those that run, for each thread: so none waits for this node's thread to
// hear that it is free.
constexpr std::uint32_t kQueuedPerThread = 1;
// Objects of a checkpoint that are asked for and not restored, beyond one for each thread.
constexpr std::size_t kFetchedAhead = 2;

ShardId first_shard(std::uint32_t worker, std::uint32_t shards, std::uint32_t workers) {
  ShardId s = 0;
  while (s < shards && worker_of_shard(s, shards, workers) < worker) ++s;
  return s;
}

}  // namespace

Worker::Worker(WorkerSettings settings, std::shared_ptr<const HostedApp> app)
    : settings_(settings),
      app_(std::move(app)),
      plugin_(app_->plugin),
      job_(app_->job),
      first_(first_shard(settings.index, job_.shards, settings.workers)),
      end_(first_shard(settings.index + 1, job_.shards, settings.workers)),
      reading_(*app_, id().name()),
      restoring_(settings.partitions, settings.threads + kFetchedAhead),
      commits_({}, settings.partitions, DenseRows::in_views),
      part_sums_(first_, end_, job_.shards),
      tallies_(end_ - first_, settings.threads) {}

Status Worker::step(const Envelope& in, Outbox& out) {
  return handle<Welcome, JobFacts, CutMade, Tasks, Lease, Deltas, Evaluate, Save, Fetched>(
      in, [&](const auto& message) { return on(message, in.from, out); });
}

Status Worker::tick(Outbox& out) {
  if (saving_ != nullptr) saving_->go_on(out);
  return {};
}

// ---- preparing ----

Status Worker::on(const Welcome& welcome, NodeId, Outbox& out) {
  resume_ = welcome.resume;
  std::vector<ShardId> hosted;
  for (ShardId s = first_; s < end_; ++s) hosted.push_back(s);
  reading_.begin(std::move(hosted), out, [this](InputReading::Shards loaded, Outbox& later) -> Status {
    for (ShardId s = first_; s < end_; ++s) {
      shards_.emplace_back();
      shards_.back().id = s;
      shards_.back().push = std::move(loaded.pushes[s - first_]);
    }
    terms_ = loaded.message.terms.size();
    later.send(kCoordinator, std::move(loaded.message));
    return {};
  });
  return {};
}

Status Worker::on(const JobFacts& facts, NodeId from, Outbox&) {
  if (facts_) return unexpected(facts.kind, from);
  std::vector<Table> tables;
  ROTA_TRY(call_hook(plugin_.name, "tables", id().name(), [&] {
    facts_.emplace(facts.facts);
    tables = tables_of(*app_->app, *facts_);
  }));
  views_.emplace(tables);
  commits_ = Commits(std::move(tables), settings_.partitions, DenseRows::in_views);
  if (!resume_)
    ROTA_TRY(call_hook(plugin_.name, "App::start_row", id().name(), [&] {
      for_each_starting_row(*app_->app, commits_.tables(), job_.seed, [&](TableId table, Key key, auto row) {
        commits_.set(table, key, row);
        views_->set(table, key, row);
      });
    }));
  for (const Deltas& rows : std::exchange(early_, {})) ROTA_TRY(restore_rows(rows));
  return {};
}

// Rows of a resumed job, as of the checkpoint.
Status Worker::restore_rows(const Deltas& rows) {
  ROTA_TRY(commits_.restore(rows));
  views_->restore(rows);
  return {};
}

Status Worker::on(const CutMade& cut, NodeId from, Outbox& out) {
  if (!facts_ || shards_.empty() || attaching_ > 0 || prepared_) return unexpected(cut.kind, from);
  cut_ = cut.cut;
  const auto slices = static_cast<std::uint32_t>(cut_.slices.size());
  attaching_ = shards_.size();
  for (Shard& shard : shards_) {
    out.start([this, &shard]() -> Continuation {
      Status status = call_hook(plugin_.name, "Push::attach", name_of(shard), [&] {
        shard.push->attach({*facts_, cut_, views_->tables(), shard.id == 0});
      });
      if (status.ok() && !resume_)
        status = call_hook(plugin_.name, "Push::start", name_of(shard), [&] {
          Random own = random_for(job_.seed, Stream::start, shard.id, 0, 0);
          Random common = random_for(job_.seed, Stream::start_common, 0, 0, 0);
          shard.push->start(own, common);
        });
      return [this, status](Outbox& later) -> Status {
        ROTA_TRY(status);
        return attached(later);
      };
    });
  }
  for (SliceId b = 0; b < slices && !resume_; ++b) {
    if (!hosts(home_shard(b, job_.shards, slices))) continue;
    std::unique_ptr<Slice> rows;
    ROTA_TRY(call_hook(plugin_.name, "App::slice", "slice " + std::to_string(b), [&] {
      rows = app_->app->slice(cut_.slices[b]);
      Random random = random_for(job_.seed, Stream::start_slice, b, 0, 0);
      app_->app->start(b, *rows, cut_.slices[b], random);
    }));
    leases_.begin(b, std::move(rows), {});
  }
  return {};
}

// One shard is prepared; after the last, what a resumed job had is fetched.
Status Worker::attached(Outbox& out) {
  if (--attaching_ > 0) return {};
  prepared_ = true;
  if (!resume_) {
    out.send(kCoordinator, Ready{});
    return {};
  }
  const auto slices = static_cast<std::uint32_t>(cut_.slices.size());
  if (hosts(0)) restoring_.want(Object::common, 0);
  for (const Shard& shard : shards_) restoring_.want(Object::shard, shard.id);
  for (SliceId b = 0; b < slices; ++b)
    if (hosts(home_shard(b, job_.shards, slices))) restoring_.want(Object::slice, b);
  restoring_.ask(out);
  return {};
}

// A resumed worker is ready when all it fetched and all the partitions' rows are in.
void Worker::ready_if_prepared(Outbox& out) {
  if (prepared_ && restoring_.done() && commits_.restored()) out.send(kCoordinator, Ready{});
}

// Data of the same content may still be read in another way: with another vocabulary, for instance.
Status Worker::check_common(const Bytes& saved) const {
  Writer now;
  ROTA_TRY(call_hook(plugin_.name, "App::save_common", id().name(), [&] { app_->app->save_common(now); }));
  if (std::ranges::equal(now.view(), saved.view())) return {};
  return {ExitCode::bad_data, "what all shards know of the data is not what the checkpoint was made with"};
}

Status Worker::on(const Fetched& fetched, NodeId from, Outbox& out) {
  if (!prepared_ || !restoring_.waits()) return unexpected(fetched.kind, from);
  const auto prepared = [this](Outbox& later) {
    restoring_.restored(later);
    ready_if_prepared(later);
  };
  if (fetched.object == Object::common && hosts(0)) {
    ROTA_TRY(check_common(fetched.bytes));
    prepared(out);
    return {};
  }
  if (fetched.object == Object::slice && fetched.id < cut_.slices.size()) {
    leases_.begin(static_cast<SliceId>(fetched.id), nullptr, fetched.bytes);
    prepared(out);
    return {};
  }
  if (fetched.object != Object::shard || fetched.id < first_ || fetched.id >= end_)
    return unexpected(fetched.kind, from);
  Shard& shard = this->shard(static_cast<ShardId>(fetched.id));
  out.start([this, &shard, bytes = fetched.bytes, prepared]() -> Continuation {
    Reader in(bytes.view());
    Status status = call_hook(plugin_.name, "Push::restore", name_of(shard), [&] { shard.push->restore(in); });
    if (status.ok() && !in.done())
      status =
          Status(ExitCode::disk, "the state of shard " + std::to_string(shard.id) + " in the checkpoint is damaged");
    return [status, prepared](Outbox& later) -> Status {
      ROTA_TRY(status);
      prepared(later);
      return {};
    };
  });
  return {};
}

// ---- rounds ----

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
    const bool known =
        (!task.slice || *task.slice < cut_.slices.size()) && (!task.shared || commits_.is_open(task.round));
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
  if (!hosts(lease.shard) || lease.slice >= cut_.slices.size())
    return {ExitCode::bug, "slice " + std::to_string(lease.slice) + " came to shard " + std::to_string(lease.shard) +
                               ", which is not here, or is no slice of the cut"};
  if (!leases_.arrive(lease.slice, lease.to, lease.rows))
    return {ExitCode::bug, "slice " + std::to_string(lease.slice) + " has two holders"};
  return run_ready(out);
}

// Whether a shard's next step can begin, with the commits that it is to hear of before.  An epoch's end takes no
// thread, and so none where it could hear of any.
bool Worker::runnable(const Shard& shard) const {
  if (shard.busy || shard.steps.empty() || backlog_.come() < commits_to_see(shard) || !sees_due(shard)) return false;
  const ShardSteps::Step& step = shard.steps.front();
  switch (step.what) {
    case ShardSteps::Step::What::slice:
      return leases_.ready(*step.task.slice, step.task.round);
    case ShardSteps::Step::What::epoch_end:
      return shard.steps.refreshed() >= commits_to_see(shard);
    case ShardSteps::Step::What::shared:
      break;
  }
  return true;
}

// Earliest round first, then the lowest shard: that is the one whose slice leaves the worker and is waited for.
Status Worker::run_ready(Outbox& out) {
  advance_views();
  for (Shard& shard : shards_) refresh(shard, out);
  const std::uint32_t most = settings_.threads * (1 + kQueuedPerThread);
  const auto joins = [this](const Shard& shard) {
    const ShardSteps::Step& step = shard.steps.front();
    return step.what == ShardSteps::Step::What::shared && go_together(commits_.table_of(step.task.round));
  };
  while (true) {
    Shard* best = nullptr;
    for (Shard& shard : shards_)
      if (runnable(shard) && (running_ < most || joins(shard)) &&
          (best == nullptr || shard.steps.front().task.round < best->steps.front().task.round))
        best = &shard;
    if (best == nullptr) return {};
    ROTA_TRY(begin(*best, out));
  }
  return {};
}

Status Worker::begin(Shard& shard, Outbox& out) {
  Refreshing before = take_commits(shard);
  const ShardSteps::Step step = shard.steps.take();
  if (step.what == ShardSteps::Step::What::epoch_end) {
    if (tallies_.shard_done(step.task.epoch, out)) out.send(kCoordinator, tallies_.report(step.task.epoch, out));
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
    held.rows = app_->app->slice(cut_.slices[slice]);
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
  out.start([this, &shard, before = std::move(before), &held, task, slice, leaves]() -> Continuation {
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
      shard.busy = false;
      if (!task.evaluates) tallies_.add_work(task.epoch, items, took, later);
      leases_.release(slice);
      move_on(slice, later);
      if (task.evaluates && evaluating_->visited()) evaluate_shards(later);
      return run_ready(later);
    };
  });
}

// Sends a slice on, or makes it due here, if it is free and its way is known.
void Worker::move_on(SliceId slice, Outbox& out) {
  auto departure = leases_.move_on(slice, [this](ShardId shard) { return hosts(shard); });
  if (departure) depart(std::move(*departure), out);
}

void Worker::depart(Leases::Departure departure, Outbox& out) {
  const Handover& handover = departure.handover;
  const NodeId to{Role::worker, worker_of_shard(handover.shard, job_.shards, settings_.workers)};
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
    work->view = &views_->tables()[rows.table];
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
  go_together(table) ? out.start_together(push) : out.start(push);
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

Status Worker::on(const Deltas& deltas, NodeId from, Outbox& out) {
  if (deltas.rows.round == 0) {
    // A partition may have its facts before this worker does.
    if (!facts_) {
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
  return !views_->any() || views_->commits() == commits_to_see(shard);
}

// All shards look into the same views.  So these go on by a commit when every shard is to see it, and none is in a
// hook; until then whoever is ahead waits for those behind, who have an earlier round before them and so wait for
// nobody ahead.
void Worker::advance_views() {
  if (!views_->any()) return;
  const auto may_change = [this](const Shard& shard) {
    return !shard.busy && commits_to_see(shard) > views_->commits();
  };
  while (views_->commits() < backlog_.come() && std::all_of(shards_.begin(), shards_.end(), may_change))
    views_->apply(*backlog_.at(views_->commits()));
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

// A shard that waits for something else hears of commits meanwhile; any other just before its step, in the same turn of
// a thread.
void Worker::refresh(Shard& shard, Outbox& out) {
  if (shard.busy || runnable(shard) || !sees_due(shard)) return;
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

// ---- the end of an epoch ----

// No shard has anything to do.
bool Worker::idle() const {
  return prepared_ && std::all_of(shards_.begin(), shards_.end(),
                                  [](const Shard& shard) { return !shard.busy && shard.steps.empty(); });
}

Status Worker::on(const Evaluate& evaluate, NodeId from, Outbox& out) {
  // A neighbour that visits already may have sent slices on.
  if (evaluating_ || !(evaluate.visits ? idle() : quiet())) return unexpected(evaluate.kind, from);
  evaluating_.emplace(plugin_, evaluate.epoch, first_, shards_.size(), evaluate.visits ? cut_.slices.size() : 0,
                      terms_);
  if (!evaluating_->visits_left()) evaluate_shards(out);
  return {};
}

// The shards alone and the slices that are here, which stay now.
void Worker::evaluate_shards(Outbox& out) {
  std::vector<std::vector<std::pair<SliceId, HeldSlice*>>> lists(shards_.size());
  std::size_t next = 0;
  for (const auto& held : leases_.held()) lists[next++ % lists.size()].push_back(held);
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    out.start([this, &shard = shards_[i], list = std::move(lists[i])]() -> Continuation {
      Status status;
      Evaluating::Slices slices;
      for (const auto& [slice, held] : list) {
        if (status.ok()) status = rows_of(slice, *held);
        slices.emplace_back(slice, held->rows.get());
      }
      if (status.ok()) status = evaluating_->evaluate(shard.id, *shard.push, slices);
      return [this, status](Outbox& later) -> Status {
        ROTA_TRY(status);
        if (!evaluating_->evaluated()) return {};
        later.send(kCoordinator, evaluating_->take());
        evaluating_.reset();
        return {};
      };
    });
  }
}

Status Worker::on(const Save& save, NodeId from, Outbox& out) {
  if (!quiet() || (saving_ != nullptr && !saving_->done())) return unexpected(save.kind, from);
  std::vector<Saving::Piece> pieces;
  const auto add = [&](Object object, std::uint64_t id, const char* hook, std::string where, auto write) {
    pieces.push_back({object, id, [this, hook, where = std::move(where), write]() -> Result<Bytes> {
                        Writer bytes;
                        ROTA_TRY(call_hook(plugin_.name, hook, where, [&] { write(bytes); }));
                        return Bytes::from(bytes.take());
                      }});
  };
  for (const Shard& shard : shards_)
    add(Object::shard, shard.id, "Push::save", name_of(shard),
        [push = shard.push.get()](Writer& bytes) { push->save(bytes); });
  if (hosts(0))
    add(Object::common, 0, "App::save_common", id().name(), [this](Writer& bytes) { app_->app->save_common(bytes); });
  for (const auto& [slice, held] : leases_.held()) {
    if (held->rows == nullptr)
      pieces.push_back({Object::slice, slice, [bytes = held->bytes]() -> Result<Bytes> { return bytes; }});
    else
      add(Object::slice, slice, "Slice::encode", "slice " + std::to_string(slice),
          [rows = held->rows.get()](Writer& bytes) { rows->encode(bytes); });
  }
  const std::uint32_t at_once = settings_.threads * (1 + kQueuedPerThread);
  saving_ = std::make_unique<Saving>(save.epoch, std::move(pieces),
                                     Saving::Limits{settings_.partitions, at_once, settings_.credit});
  saving_->go_on(out);
  return {};
}

}  // namespace rota
