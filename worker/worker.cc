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
  reading_.begin(std::move(hosted), out, [this](InputReading::Shards loaded, Outbox& later) -> Status {
    for (ShardId s = first_; s < end_; ++s) {
      const ShardExchanges::Lag lag{settings_.staleness, settings_.asynchronous};
      shards_.push_back({s, std::move(loaded.pushes[s - first_]), {}, ShardExchanges(s, lag, routes_)});
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
  ROTA_TRY(call_hook(plugin_.name, "dataflows", id().name(),
                     [&] { routes_ = routes_of(*app_->app, *facts_, job_.shards); }));
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
