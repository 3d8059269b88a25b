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

Worker::Worker(WorkerSettings settings, Prepared prepared) : Worker(settings, prepared.app) {
  goes_on_ = true;
  loaded_ = std::move(prepared.loaded);
  attached_ = std::move(prepared.attached);
  attached_->views.go_back();
  for (auto& push : prepared.pushes) {
    const auto id = first_ + static_cast<ShardId>(shards_.size());
    shards_.push_back({id, std::move(push), {}, ShardExchanges(id, lag(), routes_)});
  }
}

std::optional<Prepared> Worker::take_prepared() {
  const auto stays = [](const Shard& shard) { return shard.push->restores_in_place(); };
  if (!prepared_ || !std::all_of(shards_.begin(), shards_.end(), stays)) return std::nullopt;
  Prepared prepared{app_, std::move(loaded_), std::move(attached_), {}};
  for (Shard& shard : shards_) prepared.pushes.push_back(std::move(shard.push));
  return prepared;
}

Status Worker::step(const Envelope& in, Outbox& out) {
  return handle<Welcome, JobFacts, CutMade, Tasks, Lease, Scattered, Deltas, Evaluate, Save, Stored, Fetched>(
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
  if (goes_on_) {
    out.send(kCoordinator, loaded_);
    return {};
  }
  reading_.begin(std::move(hosted), out,
                 [this](InputReading::Shards loaded, Outbox& later) { return adopt(std::move(loaded), later); });
  return {};
}

Status Worker::adopt(InputReading::Shards loaded, Outbox& out) {
  for (ShardId s = first_; s < end_; ++s)
    shards_.push_back({s, std::move(loaded.pushes[s - first_]), {}, ShardExchanges(s, lag(), routes_)});
  loaded_ = std::move(loaded.message);
  out.send(kCoordinator, loaded_);
  return {};
}

Status Worker::on(const JobFacts& facts, NodeId from, Outbox&) {
  if (std::exchange(has_facts_, true)) return unexpected(facts.kind, from);
  std::vector<Table> tables;
  Facts of_job(facts.facts);
  ROTA_TRY(call_hook(plugin_.name, "tables", id().name(), [&] { tables = tables_of(*app_->app, of_job); }));
  ROTA_TRY(
      call_hook(plugin_.name, "dataflows", id().name(), [&] { routes_ = routes_of(*app_->app, of_job, job_.shards); }));
  if (!goes_on_)
    attached_ = std::make_unique<Attached>(std::move(of_job), tables);
  else if (attached_->facts.all() != of_job.all())
    return {ExitCode::bad_data, "the data has other facts than before the run went back"};
  commits_ = Commits(std::move(tables), settings_.partitions, DenseRows::in_views);
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
  if (goes_on_) {
    if (made.cut != cut()) return {ExitCode::bad_data, "the data was cut in another way before the run went back"};
    return all_attached(out);
  }
  attached_->cut = made.cut;
  const auto slices = static_cast<std::uint32_t>(attached_->cut.slices.size());
  attaching_ = shards_.size();
  for (Shard& shard : shards_) {
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
  if (fetched.object == Object::slice && fetched.id < cut().slices.size()) {
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
  evaluating_.emplace(plugin_, evaluate.epoch, first_, shards_.size(), evaluate.visits ? cut().slices.size() : 0,
                      loaded_.terms.size());
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
