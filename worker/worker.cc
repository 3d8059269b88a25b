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

// Objects of a checkpoint that are asked for and not restored, beyond one for each thread.
constexpr std::size_t kFetchedAhead = 2;

}  // namespace

Worker::Worker(WorkerSettings settings, std::shared_ptr<const HostedApp> app)
    : settings_(std::move(settings)),
      app_(std::move(app)),
      plugin_(app_->plugin),
      job_(app_->job),
      hosted_(settings_.hosts.of(settings_.index)),
      reading_(id().name()),
      restoring_(settings_.partitions, settings_.threads + kFetchedAhead),
      commits_({}, settings_.partitions),
      part_sums_(hosted_.first, hosted_.end, job_.shards),
      tallies_(hosted_.size(), settings_.threads) {}

Worker::Worker(WorkerSettings settings, Prepared prepared)
    : Worker(std::move(settings), prepared.shards.begin()->second.app) {
  app_has_read_ = true;
  reading_ = InputReading(id().name(), prepared.contents);
  read_ = std::move(prepared.shards);
  std::erase_if(read_, [this](const auto& read) { return !hosts(read.first); });
  const bool attached = std::any_of(read_.begin(), read_.end(), [](const auto& read) { return read.second.attached; });
  if (!attached) return;
  goes_on_ = true;
  attached_ = std::move(prepared.attached);
  attached_->views.go_back();
}

std::optional<Prepared> Worker::take_prepared(bool resumes) {
  if (!reading_.contents()) return std::nullopt;
  Prepared prepared{{}, nullptr, *reading_.contents()};
  const auto keep = [&](ShardId id, ReadShard& read, bool whole) {
    if (read.attached && !(resumes && whole && read.push->restores_in_place())) return;
    if (read.attached && prepared.attached == nullptr) prepared.attached = std::move(attached_);
    prepared.shards.insert_or_assign(id, std::move(read));
  };
  // Those that this worker was handed and did not come to host may be attached to what an earlier one made.
  for (auto& [id, read] : read_) keep(id, read, true);
  for (Shard& shard : shards_) keep(shard.id, shard.read, prepared_);
  if (prepared.shards.empty()) return std::nullopt;
  return prepared;
}

Status Worker::step(const Envelope& in, Outbox& out) {
  return handle<Welcome, ReadAhead, JobFacts, CutMade, Tasks, Lease, Scattered, Deltas, Evaluate, Save, Stored,
                Fetched>(in, [&](const auto& message) { return on(message, in.from, out); });
}

Status Worker::tick(Outbox& out) {
  if (saving_ != nullptr) saving_->go_on(out);
  return {};
}

// ---- preparing ----

Status Worker::on(const Welcome& welcome, NodeId, Outbox& out) {
  resume_ = welcome.resume;
  if (hosted_.size() == 0) return {};  // it waits for a READ_AHEAD, or for the next era
  std::vector<ShardId> wanted;
  for (ShardId s = hosted_.first; s < hosted_.end; ++s)
    if (!read_.contains(s)) wanted.push_back(s);
  if (wanted.empty()) return adopt_and_tell(out);
  return begin_reading(std::move(wanted), out, [this](std::map<ShardId, ReadShard> shards, Outbox& later) {
    read_.merge(shards);
    return adopt_and_tell(later);
  });
}

// An app loads once.
Status Worker::begin_reading(std::vector<ShardId> wanted, Outbox& out, InputReading::Done done) {
  auto app = Result<std::shared_ptr<const HostedApp>>(app_);
  if (std::exchange(app_has_read_, true)) app = host_app(plugin_, job_);
  if (!app.ok()) return app.status();
  reading_.begin(*app, std::move(wanted), out, std::move(done));
  return {};
}

// Hosts the shards that were read, and tells the coordinator what they are.
Status Worker::adopt_and_tell(Outbox& out) {
  std::vector<const ReadShard*> read;
  shards_.reserve(hosted_.size());
  for (ShardId s = hosted_.first; s < hosted_.end; ++s) {
    const auto found = read_.find(s);
    Push* push = found->second.push.get();
    shards_.push_back({s, std::move(found->second), push, {}, ShardExchanges(s, lag(), routes_)});
    read.push_back(&shards_.back().read);
    read_.erase(found);
  }
  auto told = told_of(id().name(), *app_, *reading_.contents(), read);
  if (!told.ok()) return told.status();
  terms_ = told->terms.size();
  out.send(kCoordinator, *std::move(told));
  return {};
}

// ---- shards that are to move here ----

Status Worker::on(const ReadAhead& plan, NodeId, Outbox& out) {
  auto hosts = ShardHosts::from(plan.shard_hosts, job_.shards);
  if (!hosts.ok()) return hosts.status();
  plan_ = {plan.number, hosts->of(settings_.index)};
  return read_ahead(out);
}

// What the plan gives to this worker and cannot go on as it is.
std::vector<ShardId> Worker::to_read_for(ShardHosts::Shards plan) const {
  std::vector<ShardId> wanted;
  for (ShardId s = plan.first; s < plan.end; ++s)
    if (!read_.contains(s) && !(hosts(s) && shards_[s - hosted_.first].push->restores_in_place())) wanted.push_back(s);
  return wanted;
}

// One plan may take the place of another while something is read.
Status Worker::read_ahead(Outbox& out) {
  if (!plan_ || reading_.reads()) return {};
  std::vector<ShardId> wanted = to_read_for(plan_->shards);
  if (!wanted.empty())
    return begin_reading(std::move(wanted), out, [this](std::map<ShardId, ReadShard> shards, Outbox& later) {
      read_.merge(shards);
      return read_ahead(later);
    });
  out.send(kCoordinator, HasRead{plan_->number});
  plan_.reset();
  return {};
}

Status Worker::on(const JobFacts& facts, NodeId from, Outbox&) {
  if (std::exchange(has_facts_, true)) return unexpected(facts.kind, from);
  std::vector<Table> tables;
  Facts of_job(facts.facts);
  ROTA_TRY(call_hook(plugin_.name, "tables", id().name(), [&] { tables = tables_of(*app_->app, job_, of_job); }));
  ROTA_TRY(
      call_hook(plugin_.name, "dataflows", id().name(), [&] { routes_ = routes_of(*app_->app, of_job, job_.shards); }));
  if (!goes_on_)
    attached_ = std::make_unique<Attached>(std::move(of_job), tables);
  else if (attached_->facts.all() != of_job.all())
    return {ExitCode::bad_data, "the data has other facts than before the run went back"};
  commits_ = Commits(std::move(tables), settings_.partitions);
  if (!resume_)
    ROTA_TRY(call_hook(plugin_.name, "App::start_row", id().name(), [&] {
      for_each_starting_row(*app_->app, commits_.tables(), job_.seed, [&](TableId table, Key key, auto row) {
        commits_.set(table, key, row);
        views().set(table, key, row);
      });
    }));
  for (const Deltas& rows : std::exchange(early_, {})) ROTA_TRY(restore_rows(rows));
  return {};
}

// Rows of a resumed job, as of the checkpoint.
Status Worker::restore_rows(const Deltas& rows) {
  ROTA_TRY(commits_.restore(rows));
  views().restore(rows);
  return {};
}

Status Worker::on(const CutMade& made, NodeId from, Outbox& out) {
  if (!has_facts_ || shards_.empty() || attaching_ > 0 || prepared_) return unexpected(made.kind, from);
  if (goes_on_ && made.cut != cut())
    return {ExitCode::bad_data, "the data was cut in another way before the run went back"};
  attached_->cut = made.cut;
  const auto slices = static_cast<std::uint32_t>(attached_->cut.slices.size());
  attaching_ = static_cast<std::size_t>(
      std::count_if(shards_.begin(), shards_.end(), [](const Shard& shard) { return !shard.read.attached; }));
  if (attaching_ == 0) return all_attached(out);
  for (Shard& shard : shards_) {
    if (std::exchange(shard.read.attached, true)) continue;
    out.start([this, &shard]() -> Continuation {
      Status status = call_hook(plugin_.name, "Push::attach", name_of(shard), [&] {
        shard.push->attach({attached_->facts, cut(), views().tables(), shard.id == 0});
      });
      if (status.ok() && !resume_)
        status = call_hook(plugin_.name, "Push::start", name_of(shard), [&] {
          Random own = random_for(job_.seed, Stream::start, shard.id, 0, 0);
          Random common = random_for(job_.seed, Stream::start_common, 0, 0, 0);
          shard.push->start(own, common);
        });
      return [this, status](Outbox& later) -> Status {
        ROTA_TRY(status);
        return shard_attached(later);
      };
    });
  }
  for (SliceId b = 0; b < slices && !resume_; ++b) {
    if (!hosts(home_shard(b, job_.shards, slices))) continue;
    std::unique_ptr<Slice> rows;
    ROTA_TRY(call_hook(plugin_.name, "App::slice", "slice " + std::to_string(b), [&] {
      rows = app_->app->slice(cut().slices[b]);
      Random random = random_for(job_.seed, Stream::start_slice, b, 0, 0);
      app_->app->start(b, *rows, cut().slices[b], random);
    }));
    leases_.begin(b, std::move(rows), {});
  }
  return {};
}

Status Worker::shard_attached(Outbox& out) {
  return --attaching_ > 0 ? Status() : all_attached(out);
}

// What a resumed job had is fetched now.
Status Worker::all_attached(Outbox& out) {
  prepared_ = true;
  if (!resume_) {
    out.send(kCoordinator, Ready{});
    return {};
  }
  const auto slices = static_cast<std::uint32_t>(cut().slices.size());
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
  ROTA_TRY(call_hook(plugin_.name, "App::save_common", id().name(), [&] { first_reader().save_common(now); }));
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
  if (fetched.object == Object::slice && fetched.id < cut().slices.size()) {
    leases_.begin(static_cast<SliceId>(fetched.id), nullptr, fetched.bytes);
    prepared(out);
    return {};
  }
  if (fetched.object != Object::shard || fetched.id < hosted_.first || fetched.id >= hosted_.end)
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

// ---- the end of an epoch ----

// No shard has anything to do.
bool Worker::idle() const {
  return prepared_ && std::all_of(shards_.begin(), shards_.end(), [](const Shard& shard) {
           return !shard.busy && shard.steps.empty() && shard.exchanges.settled();
         });
}

Status Worker::on(const Evaluate& evaluate, NodeId from, Outbox& out) {
  // A neighbour that visits already may have sent slices on.
  if (evaluating_ || !(evaluate.visits ? idle() : quiet())) return unexpected(evaluate.kind, from);
  evaluating_.emplace(plugin_, evaluate.epoch, hosted_.first, shards_.size(), evaluate.visits ? cut().slices.size() : 0,
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
        [push = shard.push](Writer& bytes) { push->save(bytes); });
  if (hosts(0))
    add(Object::common, 0, "App::save_common", id().name(),
        [this](Writer& bytes) { first_reader().save_common(bytes); });
  for (const auto& [slice, held] : leases_.held()) {
    if (held->rows == nullptr)
      pieces.push_back({Object::slice, slice, [bytes = held->bytes]() -> Result<Bytes> { return bytes; }});
    else
      add(Object::slice, slice, "Slice::encode", "slice " + std::to_string(slice),
          [rows = held->rows.get()](Writer& bytes) { rows->encode(bytes); });
  }
  const std::uint32_t at_once = settings_.at_once();
  saving_ = std::make_unique<Saving>(save.epoch, std::move(pieces),
                                     Saving::Limits{settings_.partitions, at_once, settings_.credit});
  saving_->go_on(out);
  return {};
}

// Those of a checkpoint may come when the next one has begun.
Status Worker::on(const Stored& stored, NodeId, Outbox& out) {
  if (saving_ != nullptr) saving_->stored(stored, out);
  return {};
}

}  // namespace rota
