#include "kvstore/partition.h"

#include <algorithm>
#include <cmath>

#include "core/base/finite.h"
#include "core/job/plugin_host.h"
#include "core/job/run_folder.h"
#include "core/job/tables.h"
#include "core/rounds/commits.h"
#include "core/rounds/placement.h"
#include "core/runtime/handle.h"

namespace rota {

namespace {

// The rows' numbers, one row after the other.  Rows that are neighbours in memory are copied as one.
std::vector<double> values_of(const PullEntries& entries, std::size_t width) {
  std::vector<double> values;
  values.reserve(entries.size() * width);
  std::span<const double> stretch;
  const auto flush = [&](std::span<const double> next) {
    values.insert(values.end(), stretch.begin(), stretch.end());
    stretch = next;
  };
  const auto take = [&](std::span<const double> value) {
    if (value.data() == stretch.data() + stretch.size())
      stretch = {stretch.data(), stretch.size() + value.size()};
    else
      flush(value);
  };
  for (const PullRun& run : entries.runs()) take(run.value);
  if (entries.runs().empty())
    for (const PullEntry& entry : entries) take(entry.value);
  flush({});
  return values;
}

// Takes over the memory of the numbers.
Bytes bytes_of(std::vector<double> numbers) {
  const auto owner = std::make_shared<const std::vector<double>>(std::move(numbers));
  return {owner, std::as_bytes(std::span(*owner))};
}

}  // namespace

Partition::Partition(PartitionSettings settings, std::shared_ptr<const HostedApp> app,
                     std::shared_ptr<CheckpointStore> store, std::shared_ptr<ChunkFiles> own)
    : settings_(settings),
      app_(std::move(app)),
      plugin_(app_->plugin),
      store_(std::move(store)),
      rows_({}),
      gather_(app_->job.shards) {
  if (own != nullptr) own_.emplace(settings_.index, std::move(own), settings_.copies);
  for (const std::uint32_t worker : settings_.workers) workers_.push_back({Role::worker, worker});
}

Status Partition::step(const Envelope& in, Outbox& out) {
  return handle<Welcome, JobFacts, Expect, Parts, Evaluate, Save, Put, Fetch, AskChunk, Chunk>(
      in, [&](const auto& message) { return on(message, in.from, out); });
}

Status Partition::on(const Welcome& welcome, NodeId, Outbox& out) {
  resume_ = welcome.resume;
  if (!own_ || !resume_) return {};
  const bool named = settings_.index < welcome.files.size() &&
                     RunFolder::is_partition_of(welcome.files[settings_.index].file, *resume_, settings_.index);
  if (!named) return {ExitCode::bug, "the coordinator names no file to resume " + id().name() + " from"};
  file_is_there_ = false;
  own_->get(*resume_, welcome.files[settings_.index], out, [this](Outbox& later) {
    file_is_there_ = true;
    restore_if_ready(later);
    serve(later);
    return Status();
  });
  return {};
}

Status Partition::on(const JobFacts& message, NodeId from, Outbox& out) {
  if (std::exchange(shaped_, true)) return unexpected(message.kind, from);
  ROTA_TRY(call_hook(plugin_.name, "pull", id().name(), [&] {
    const Facts facts(message.facts);
    rows_ = Rows(tables_of(*app_->app, app_->job, facts), settings_.index, settings_.partitions);
    pull_ = app_->app->pull(facts);
    terms_ = app_->app->terms().size();
  }));
  if (!resume_) {
    ROTA_TRY(call_hook(plugin_.name, "App::start_row", id().name(), [&] {
      for_each_starting_row(*app_->app, rows_.tables(), app_->job.seed, [&](TableId table, Key key, auto row) {
        if (home_of_row(rows_.tables()[table], table, key, settings_.partitions) == settings_.index)
          rows_.set(table, key, row);
      });
    }));
    out.send(kCoordinator, Ready{});
    return {};
  }
  restore_if_ready(out);
  return {};
}

void Partition::restore_if_ready(Outbox& out) {
  if (!shaped_ || !file_is_there_) return;
  out.start_io([this]() -> Continuation {
    auto rows = std::make_shared<Rows>(rows_.tables(), settings_.index, settings_.partitions);
    Status status = store_->read_rows(*resume_, settings_.index, *rows);
    if (status.ok() && pull_ != nullptr) status = restore_pull();
    return [this, rows, status](Outbox& later) -> Status {
      ROTA_TRY(status);
      rows_ = std::move(*rows);
      telling_ = Telling{};
      tell_rows(later);
      return {};
    };
  });
}

Status Partition::restore_pull() {
  const auto state = store_->read(*resume_, settings_.index, Object::pull, settings_.index);
  if (!state.ok()) return state.status();
  Reader in(state->view());
  ROTA_TRY(call_hook(plugin_.name, "Pull::restore", id().name(), [&] { pull_->restore(in); }));
  return in.done() ? Status() : Status(ExitCode::disk, "the state of pull in the checkpoint is damaged");
}

Status Partition::tick(Outbox& out) {
  tell_rows(out);
  serve(out);
  return {};
}

// Workers that join a resumed job do not have the rows that were committed before.  They go in chunks, as fast as the
// slowest takes them; READY follows the last, so that no round is committed before.
void Partition::tell_rows(Outbox& out) {
  std::uint64_t told = 0;
  while (telling_) {
    const auto allows = [&](NodeId to) { return settings_.credit.allows(out, to, told); };
    if (!std::all_of(workers_.begin(), workers_.end(), allows)) return;
    const std::optional<Deltas> rows = next_rows();
    if (!rows) {
      telling_.reset();
      out.send(kCoordinator, Ready{});
      return;
    }
    told += rows->values.size() + rows->rows.keys.size() * sizeof(Key);
    out.send(workers_, *rows);
  }
}

// The next chunk of rows to tell; every shared table has at least one, its last.
std::optional<Deltas> Partition::next_rows() {
  while (!rows_.has_table(telling_->table))
    if (++telling_->table >= rows_.tables().size()) return std::nullopt;
  Deltas chunk;
  chunk.rows.table = telling_->table;
  Writer values;
  std::uint64_t bytes = 0;
  rows_.for_each_behind(telling_->table, telling_->behind, [&](Key key, std::span<const double> row) {
    chunk.last = bytes == 0 || bytes + row.size_bytes() + sizeof key <= settings_.credit.chunk;
    if (!chunk.last) return false;
    bytes += row.size_bytes() + sizeof key;
    chunk.rows.keys.push_back(key);
    values.append(row.data(), row.size_bytes());
    return true;
  });
  chunk.values = Bytes::from(values.take());
  if (chunk.last)
    telling_ = Telling{telling_->table + 1, std::nullopt};
  else
    telling_->behind = chunk.rows.keys.back();
  return chunk;
}

// ---- rounds ----

Status Partition::on(const Expect& expect, NodeId, Outbox& out) {
  ROTA_TRY(check_rows(rows_.tables(), rows_of_round(expect.rows)));
  if (pull_ == nullptr) return {ExitCode::failed, std::string(plugin_.name) + ": shared rows, and no pull"};
  const Table& table = rows_.tables()[expect.rows.table];
  for (const Key key : expect.rows.keys)
    if (!rows_.may_have(expect.rows.table, key))
      return {ExitCode::bug,
              "row " + std::to_string(key) + " of table " + table.name + " is expected in " + id().name()};
  const std::size_t numbers =
      expect.rows.open ? table.part_width : part_offsets(table, rows_of_round(expect.rows)).back();
  ROTA_TRY(gather_.expect(expect, numbers, rows_.range(expect.rows.table)));
  return commit_whole(out);
}

Status Partition::on(const Parts& parts, NodeId from, Outbox& out) {
  ROTA_TRY(gather_.add(parts).in("parts from " + from.name()));
  return commit_whole(out);
}

// Pulls what is whole, one round after the other.  One with notes may be long work, and goes to a compute thread;
// another is over sooner than a thread would be found for it.
Status Partition::commit_whole(Outbox& out) {
  while (!pulling_) {
    auto whole = gather_.take();
    if (!whole) return {};
    const bool talks = std::any_of(whole->notes.begin(), whole->notes.end(), [](const Bytes& n) { return !n.empty(); });
    if (!talks) {
      Done done;
      ROTA_TRY(run_pull(*whole, done));
      ROTA_TRY(commit(*whole, std::move(done), out));
      continue;
    }
    pulling_ = true;
    out.start([this, whole = std::make_shared<Gather::Whole>(*std::move(whole))]() -> Continuation {
      auto done = std::make_shared<Done>();
      Status status = run_pull(*whole, *done);
      return [this, whole, done, status](Outbox& later) -> Status {
        pulling_ = false;
        ROTA_TRY(status);
        ROTA_TRY(commit(*whole, std::move(*done), later));
        return commit_whole(later);
      };
    });
  }
  return {};
}

// Makes the entries of a round; an open one's are runs.
PullEntries Partition::name_rows(const Gather::Whole& whole) {
  const SharedRows& rows = whole.expect.rows;
  const Table& table = rows_.tables()[rows.table];
  entries_.clear();
  if (rows.open) {
    runs_.clear();
    for (RowWalk walk(whole.open); !walk.done();) {
      const auto count = static_cast<std::size_t>(walk.left());
      const std::span<double> values = rows_.run(rows.table, {walk.key(), count});
      const Key first = walk.key();
      runs_.push_back({first, count, {walk.take(count), count * table.part_width}, values});
    }
    return PullEntries(runs_);
  }
  const std::vector<std::size_t> at = part_offsets(table, rows_of_round(rows));
  // A row that is added moves others: so all are there before the first is named.
  for (const Key key : rows.keys) rows_.row(rows.table, key);
  for (std::size_t i = 0; i < rows.keys.size(); ++i)
    entries_.push_back(
        {rows.keys[i], std::span(whole.sum).subspan(at[i], at[i + 1] - at[i]), rows_.row(rows.table, rows.keys[i])});
  return entries_;
}

Status Partition::run_pull(Gather::Whole& whole, Done& done) {
  const SharedRows& rows = whole.expect.rows;
  const Table& table = rows_.tables()[rows.table];
  const PullEntries entries = name_rows(whole);
  const Feedback wish = whole.expect.awaited_by ? whole.expect.awaited_by->wish : Feedback::reply;
  std::vector<double> before;
  if (wish != Feedback::reply) before = values_of(entries, table.row_width);
  const std::string where = "round " + std::to_string(rows.round);
  Writer reply;
  ROTA_TRY(call_hook(plugin_.name, "Pull::pull", where, [&] {
    pull_->pull(PullTask{rows.round, rows.table, entries, rows.blocks, rows.argument, whole.notes, reply});
  }));
  std::vector<double> values = values_of(entries, table.row_width);
  if (!all_finite(values)) {
    const auto wrong = std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
    const auto row = static_cast<std::size_t>(wrong - values.begin()) / table.row_width;
    return {ExitCode::failed, std::string(plugin_.name) + ", Pull::pull, " + where + ": row " +
                                  std::to_string(entries[row].key) + " of " + table.name + " is not a finite number"};
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i] = values[i] - before[i];
    if (wish == Feedback::norms) done.feedback.norms.add(before[i]);
  }
  Deltas& deltas = done.deltas;
  deltas.rows = rows;
  deltas.rows.blocks.clear();
  deltas.rows.argument.clear();
  deltas.runs = whole.open.runs();
  deltas.values = bytes_of(std::move(values));
  deltas.reply = Bytes::from(reply.take());
  if (!table.single_partition && !deltas.reply.empty())
    return {ExitCode::failed, std::string(plugin_.name) + ", Pull::pull, " + where + ": a reply, and table " +
                                  table.name + " spans partitions"};
  done.feedback.reply = deltas.reply;
  if (wish == Feedback::changes) {
    done.feedback.values = deltas.values;
    done.feedback.changes = bytes_of(std::move(before));
    done.feedback.runs = deltas.runs;
  }
  return {};
}

Status Partition::commit(const Gather::Whole& whole, Done done, Outbox& out) {
  out.send(workers_, done.deltas);
  if (const auto& awaited = whole.expect.awaited_by) {
    if (awaited->scheduler >= settings_.schedulers) return {ExitCode::bug, "feedback for no scheduler of this run"};
    done.feedback.round = awaited->round;
    out.send({Role::scheduler, awaited->scheduler}, std::move(done.feedback));
  }
  out.send(kCoordinator, Committed{whole.expect.rows.round});
  return {};
}

// ---- the end of an epoch ----

Status Partition::on(const Evaluate& evaluate, NodeId, Outbox& out) {
  Evaluated result;
  result.epoch = evaluate.epoch;
  result.rows.assign(terms_, 0.0);
  if (pull_ != nullptr) {
    ROTA_TRY(call_hook(plugin_.name, "Pull::evaluate", "epoch " + std::to_string(evaluate.epoch), [&] {
      rows_.for_each([&](TableId table, Key key, std::span<const double> values) {
        pull_->evaluate(table, key, values, std::span(result.rows));
      });
    }));
  }
  out.send(kCoordinator, std::move(result));
  return {};
}

Status Partition::on(const Save& save, NodeId, Outbox& out) {
  Collecting& one = collecting_[save.epoch];
  one.asked = true;
  one.expected = save.objects;
  // Copies: the next epoch's commits may come before the file is written.
  one.rows = std::make_shared<const Rows>(rows_);
  Writer state;
  if (pull_ != nullptr) ROTA_TRY(call_hook(plugin_.name, "Pull::save", id().name(), [&] { pull_->save(state); }));
  const Bytes bytes = Bytes::from(state.take());
  keep({save.epoch, Object::pull, settings_.index, hash128(bytes.view()), bytes}, id(), out);
  write_if_whole(save.epoch, out);
  return {};
}

Status Partition::on(const Put& put, NodeId from, Outbox& out) {
  if (hash128(put.bytes.view()) != put.hash)
    return {ExitCode::bug, "an object from " + from.name() + " does not have the hash it came with"};
  keep(put, from, out);
  write_if_whole(put.epoch, out);
  return {};
}

// In memory, or behind so many bytes on disk.  A worker is told, for it puts no more than what is little meanwhile.
void Partition::keep(const Put& put, NodeId from, Outbox& out) {
  Collecting& one = collecting_[put.epoch];
  ++one.come;
  const std::uint64_t bytes = put.bytes.size();
  const auto tell = [from, stored = Stored{put.epoch, bytes}](Outbox& to) {
    if (from.role == Role::worker) to.send(from, stored);
  };
  if (one.bytes + bytes > settings_.credit.kept && one.spilled == nullptr)
    one.spilled = store_->spill(put.epoch, settings_.index);
  if (one.bytes + bytes <= settings_.credit.kept || one.spilled == nullptr) {
    one.bytes += bytes;
    one.objects.push_back(put);
    return tell(out);
  }
  out.start_io([spilled = one.spilled, put, tell]() -> Continuation {
    const Status status = spilled->add(put);
    return [tell, status](Outbox& later) -> Status {
      ROTA_TRY(status);
      tell(later);
      return {};
    };
  });
}

void Partition::write_if_whole(Epoch epoch, Outbox& out) {
  const auto found = collecting_.find(epoch);
  if (!found->second.asked || found->second.come < found->second.expected) return;
  auto whole = std::make_shared<Collecting>(std::move(found->second));
  collecting_.erase(found);
  out.start_io([this, whole, epoch]() -> Continuation {
    Written written;
    written.epoch = epoch;
    const ObjectSpill* const spilled = whole->spilled.get();
    const auto file = store_->write(epoch, settings_.index, {whole->objects, *whole->rows, spilled}, written.file);
    if (file.ok()) {
      written.file_bytes = file->bytes;
      written.file_hash = file->hash;
      written.rows = whole->rows->hash();
      for (const Put& put : whole->objects) written.objects.push_back({put.object, put.id, put.hash});
      for (std::size_t i = 0; spilled != nullptr && i < spilled->size(); ++i)
        written.objects.push_back(spilled->object(i));
    }
    written.apart = own_.has_value();
    return [this, written, status = file.status()](Outbox& later) -> Status {
      ROTA_TRY(status);
      if (own_) own_->wrote(written.epoch, {written.file, written.file_bytes, written.file_hash}, later);
      later.send(kCoordinator, written);
      return {};
    };
  });
}

Status Partition::on(const AskChunk& ask, NodeId from, Outbox& out) {
  if (!own_ || from != kCoordinator) return unexpected(ask.kind, from);
  return own_->give(ask, out);
}

Status Partition::on(const Chunk& chunk, NodeId from, Outbox& out) {
  if (!own_ || from != kCoordinator) return unexpected(chunk.kind, from);
  return own_->take(chunk, out);
}

Status Partition::on(const Fetch& fetch, NodeId from, Outbox& out) {
  if (!resume_) return unexpected(fetch.kind, from);
  asked_.push_back({from, fetch});
  serve(out);
  return {};
}

// Reads what was asked for, one object after the other, for whom little is on its way.  `bytes` were sent to `last`
// just now.
void Partition::serve(Outbox& out, NodeId last, std::uint64_t bytes) {
  if (reading_ || !file_is_there_) return;
  const auto next = std::find_if(asked_.begin(), asked_.end(), [&](const Asked& one) {
    return settings_.credit.allows(out, one.by, one.by == last ? bytes : 0);
  });
  if (next == asked_.end()) return;
  const Asked asked = *next;
  asked_.erase(next);
  reading_ = true;
  out.start_io([this, asked]() -> Continuation {
    auto bytes_read = store_->read(*resume_, settings_.index, asked.what.object, asked.what.id);
    return [this, asked, bytes_read = std::move(bytes_read)](Outbox& later) -> Status {
      reading_ = false;
      if (!bytes_read.ok()) return bytes_read.status();
      later.send(asked.by, Fetched{asked.what.object, asked.what.id, *bytes_read});
      serve(later, asked.by, bytes_read->size());
      return {};
    };
  });
}

}  // namespace rota
