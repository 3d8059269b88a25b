#include "worker/preparation.h"

#include <algorithm>

#include "core/base/seed.h"
#include "core/job/tables.h"
#include "core/rounds/placement.h"

namespace rota {

// Objects that are asked for and not restored, beyond one for each thread.
constexpr std::size_t kFetchedAhead = 2;

Status Restoring::on(const Deltas& rows, NodeId, Outbox& out) {
  if (!has_tables_)
    early_.push_back(rows);
  else
    ROTA_TRY(restore(rows));
  send_ready_if_all(out);
  return {};
}

Status Restoring::tables_made() {
  has_tables_ = true;
  for (const Deltas& rows : std::exchange(early_, {})) ROTA_TRY(restore(rows));
  return {};
}

Status Restoring::restore(const Deltas& rows) {
  ROTA_TRY(state_.commits.restore(rows));
  state_.views().restore(rows);
  return {};
}

void Restoring::begin(Outbox& out) {
  begun_ = true;
  const ShardHosts::Shards shards = state_.hosted;
  const auto slices = static_cast<std::uint32_t>(state_.cut().slices.size());
  if (state_.hosts(0)) to_fetch_.push_back({Object::common, 0});
  for (ShardId s = shards.first; s < shards.end; ++s) to_fetch_.push_back({Object::shard, s});
  for (SliceId b = 0; b < slices; ++b)
    if (state_.hosts(home_shard(b, state_.job().shards, slices))) to_fetch_.push_back({Object::slice, b});
  ask(out);
}

// As many as may be.
void Restoring::ask(Outbox& out) {
  for (; !to_fetch_.empty() && asked_ < state_.job().threads + kFetchedAhead; ++asked_) {
    const Fetch& next = to_fetch_.front();
    out.send({Role::partition, partition_of_object(next.id, state_.job().partitions)}, next);
    to_fetch_.pop_front();
  }
}

Status Restoring::on(const Fetched& fetched, NodeId from, Outbox& out) {
  if (asked_ == 0) return unexpected(fetched.kind, from);
  if (fetched.object == Object::common && state_.hosts(0)) {
    ROTA_TRY(check_common(fetched.bytes));
    restored(out);
  } else if (fetched.object == Object::slice && fetched.id < state_.cut().slices.size()) {
    state_.leases.begin(static_cast<SliceId>(fetched.id), nullptr, fetched.bytes);
    restored(out);
  } else if (fetched.object == Object::shard && fetched.id >= state_.hosted.first && fetched.id < state_.hosted.end) {
    restore(static_cast<ShardId>(fetched.id), fetched.bytes, out);
  } else {
    return unexpected(fetched.kind, from);
  }
  return {};
}

// Data of the same content may still be read in another way: with another vocabulary, for instance.
Status Restoring::check_common(const Bytes& saved) const {
  Writer now;
  ROTA_TRY(state_.hook("App::save_common", state_.id().name(), [&] { state_.first_reader().save_common(now); }));
  if (std::ranges::equal(now.view(), saved.view())) return {};
  return {ExitCode::bad_data, "what the shards share of the data is not that of the checkpoint"};
}

void Restoring::restore(ShardId shard, const Bytes& saved, Outbox& out) {
  const auto take = [this, shard, saved]() -> Status {
    Reader in(saved.view());
    ROTA_TRY(state_.hook("Push::restore", name_of(shard), [&] { state_.push(shard).restore(in); }));
    if (in.done()) return {};
    return {ExitCode::disk, "the state of " + name_of(shard) + " in the checkpoint is damaged"};
  };
  out.start(followed_by(take, [this](Outbox& later) { restored(later); }));
}

void Restoring::send_ready_if_all(Outbox& out) {
  if (begun_ && to_fetch_.empty() && asked_ == 0 && state_.commits.restored()) out.send(kCoordinator, Ready{});
}

Preparation::Preparation(WorkerState& state, Prepared prepared) : Preparation(state) {
  app_has_read_ = true;
  reading_ = InputReading(state.id().name(), prepared.contents);
  read_ = std::move(prepared.shards);
  std::erase_if(read_, [&](const auto& read) { return !state.hosts(read.first); });
  reuses_attached_ = std::ranges::any_of(read_, [](const auto& read) { return read.second.attached; });
  if (!reuses_attached_) return;
  state.attached = std::move(prepared.attached);
  state.views().roll_back();
}

std::optional<Prepared> Preparation::take(bool resumes) {
  if (!reading_.contents()) return std::nullopt;
  Prepared prepared{{}, nullptr, *reading_.contents()};
  const auto keep = [&](ShardId id, ReadShard& read, bool whole) {
    if (read.attached && !(resumes && whole && read.push->restores_in_place())) return;
    if (read.attached && prepared.attached == nullptr) prepared.attached = std::move(state_.attached);
    prepared.shards.insert_or_assign(id, std::move(read));
  };
  // Those that this worker was handed and did not come to host may be attached to what an earlier one made.
  for (auto& [id, read] : read_) keep(id, read, true);
  ShardId id = state_.hosted.first;
  for (ReadShard& shard : state_.shards) keep(id++, shard, done_);
  if (prepared.shards.empty()) return std::nullopt;
  return prepared;
}

Status Preparation::on(const Welcome& welcome, NodeId, Outbox& out) {
  resumes_ = welcome.resume.has_value();
  if (state_.hosted.size() == 0) return {};  // it waits for a READ_AHEAD, or for the next era
  std::vector<ShardId> wanted;
  for (ShardId s = state_.hosted.first; s < state_.hosted.end; ++s)
    if (!read_.contains(s)) wanted.push_back(s);
  return wanted.empty() ? adopt_and_report(out) : read(std::move(wanted), out, &Preparation::adopt_and_report);
}

// An app loads once.
Status Preparation::read(std::vector<ShardId> wanted, Outbox& out, Status (Preparation::*then)(Outbox&)) {
  std::shared_ptr<const HostedApp> app = state_.app;
  if (std::exchange(app_has_read_, true)) {
    ROTA_ASSIGN(app, host_app(state_.plugin(), state_.job()));
  }
  reading_.begin(app, std::move(wanted), out, [this, then](std::map<ShardId, ReadShard> shards, Outbox& later) {
    read_.merge(shards);
    return (this->*then)(later);
  });
  return {};
}

Status Preparation::adopt_and_report(Outbox& out) {
  for (ShardId s = state_.hosted.first; s < state_.hosted.end; ++s)
    state_.shards.push_back(std::move(read_.extract(s).mapped()));
  ROTA_ASSIGN(auto loaded, loaded_message(state_.id().name(), *state_.app, *reading_.contents(), state_.shards));
  state_.terms = loaded.terms;
  out.send(kCoordinator, std::move(loaded));
  return {};
}

// ---- shards that are to move here ----

Status Preparation::on(const ReadAhead& plan, NodeId, Outbox& out) {
  ROTA_ASSIGN(auto hosts, ShardHosts::from(plan.shard_hosts, state_.job().shards));
  plan_ = {plan.number, hosts.of(state_.job().index)};
  return read_ahead(out);
}

// Reads what the plan gives to this worker and cannot be used as it is.  One plan may take the place of another while
// something is read.
Status Preparation::read_ahead(Outbox& out) {
  if (!plan_ || reading_.reads()) return {};
  std::vector<ShardId> wanted;
  for (ShardId s = plan_->shards.first; s < plan_->shards.end; ++s)
    if (!read_.contains(s) && !(state_.hosts(s) && state_.push(s).restores_in_place())) wanted.push_back(s);
  if (!wanted.empty()) return read(std::move(wanted), out, &Preparation::read_ahead);
  out.send(kCoordinator, HasRead{plan_->number});
  plan_.reset();
  return {};
}

// ---- what all shards' data is ----

Status Preparation::on(const JobFacts& facts, NodeId from, Outbox&) {
  if (std::exchange(has_facts_, true)) return unexpected(facts.kind, from);
  const App& app = *state_.app->app;
  std::vector<Table> tables;
  Facts of_job(facts.facts);
  ROTA_TRY(state_.hook("tables", state_.id().name(), [&] { tables = tables_of(app, state_.job(), of_job); }));
  ROTA_TRY(state_.hook("dataflows", state_.id().name(),
                       [&] { state_.routes = routes_of(app, of_job, state_.job().shards); }));
  if (!reuses_attached_)
    state_.attached = std::make_unique<Attached>(std::move(of_job), tables);
  else if (state_.attached->facts.all() != of_job.all())
    return {ExitCode::bad_data, "the data has other facts than before the rollback"};
  state_.commits = Commits(std::move(tables), state_.job().partitions);
  if (!resumes_) ROTA_TRY(set_starting_rows());
  return restoring_.tables_made();
}

Status Preparation::set_starting_rows() {
  return state_.hook("App::start_row", state_.id().name(), [&] {
    for_each_starting_row(*state_.app->app, state_.attached->facts, state_.commits.tables(), state_.job().seed,
                          [&](TableId table, Key key, auto row) {
                            state_.commits.set(table, key, row);
                            state_.views().set(table, key, row);
                          });
  });
}

Status Preparation::on(const CutMade& made, NodeId from, Outbox& out) {
  if (!has_facts_ || state_.shards.empty() || attaching_ > 0 || done_) return unexpected(made.kind, from);
  if (reuses_attached_ && made.cut != state_.cut())
    return {ExitCode::bad_data, "the data was partitioned in another way before the rollback"};
  state_.attached->cut = made.cut;
  const auto is_new = [](const ReadShard& shard) { return !shard.attached; };
  attaching_ = static_cast<std::size_t>(std::ranges::count_if(state_.shards, is_new));
  if (attaching_ == 0) return all_attached(out), Status();
  for (std::size_t i = 0; i < state_.shards.size(); ++i)
    if (!std::exchange(state_.shards[i].attached, true)) attach(state_.hosted.first + static_cast<ShardId>(i), out);
  return resumes_ ? Status() : begin_slices();
}

void Preparation::attach(ShardId shard, Outbox& out) {
  const auto attach_one = [this, shard, &push = state_.push(shard)]() -> Status {
    ROTA_TRY(state_.hook("Push::attach", name_of(shard), [&] {
      push.attach({state_.attached->facts, state_.cut(), state_.views().tables(), shard == 0});
    }));
    if (resumes_) return {};
    return state_.hook("Push::start", name_of(shard), [&] {
      Random own = random_for(state_.job().seed, Stream::start, shard, 0, 0);
      Random common = random_for(state_.job().seed, Stream::start_common, 0, 0, 0);
      push.start(own, common);
    });
  };
  out.start(followed_by(attach_one, [this](Outbox& later) {
    if (--attaching_ == 0) all_attached(later);
  }));
}

// Those of a new job that begin here.
Status Preparation::begin_slices() {
  const App& app = *state_.app->app;
  const auto slices = static_cast<std::uint32_t>(state_.cut().slices.size());
  for (SliceId slice = 0; slice < slices; ++slice) {
    if (!state_.hosts(home_shard(slice, state_.job().shards, slices))) continue;
    const std::vector<Key>& keys = state_.cut().slices[slice];
    std::unique_ptr<Slice> rows;
    ROTA_TRY(state_.hook("App::slice", name_of_slice(slice), [&] {
      rows = app.slice(keys);
      Random random = random_for(state_.job().seed, Stream::start_slice, slice, 0, 0);
      app.start(state_.attached->facts, slice, *rows, keys, random);
    }));
    state_.leases.begin(slice, std::move(rows), {});
  }
  return {};
}

void Preparation::all_attached(Outbox& out) {
  done_ = true;
  if (resumes_)
    restoring_.begin(out);
  else
    out.send(kCoordinator, Ready{});
}

}  // namespace rota
