#include "kvstore/partition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/base/finite.h"
#include "core/base/seed.h"
#include "core/job/plugin_host.h"
#include "core/job/run_folder.h"
#include "core/job/tables.h"
#include "core/rounds/commits.h"
#include "core/rounds/norms.h"
#include "core/rounds/placement.h"
#include "core/wire/lent_memory.h"

namespace rota {

namespace {

// The rows' numbers, one row after the other.  Rows that are neighbours in memory are copied as one.  Calls
// block(values, at) for each kNormBlock numbers, while they are in the nearest cache, and for the last ones.
template <typename Block>
LendableVector<double> values_of(const PullEntries& entries, std::size_t width, Block block) {
  LendableVector<double> values;
  values.reserve(entries.size() * width);
  std::span<const double> stretch;
  std::size_t seen = 0;
  const auto see = [&] {
    block(std::span<const double>(values).subspan(seen), seen);
    seen = values.size();
  };
  const auto flush = [&](std::span<const double> next) {
    while (!stretch.empty()) {
      const auto some = stretch.first(std::min(stretch.size(), seen + kNormBlock - values.size()));
      values.insert(values.end(), some.begin(), some.end());
      stretch = stretch.subspan(some.size());
      if (values.size() == seen + kNormBlock) see();
    }
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
  if (seen < values.size()) see();
  return values;
}

// A pull of more numbers takes longer than to hand it to a compute thread, where it runs beside others.
constexpr std::size_t kBriefMost = std::size_t{32} << 10;
// Numbers of a committed round that are kept until the next one of its table.
constexpr std::size_t kKeptMost = std::size_t{64} << 20;

// Takes over the memory of the numbers.
Bytes bytes_of(LendableVector<double> numbers) {
  const auto owner = std::make_shared<const LendableVector<double>>(std::move(numbers));
  return {owner, std::as_bytes(std::span(*owner))};
}

}  // namespace

Partition::Partition(PartitionSettings settings, std::shared_ptr<const HostedApp> app,
                     std::shared_ptr<CheckpointStore> store, std::shared_ptr<ChunkFiles> own)
    : settings_(settings), app_(std::move(app)), plugin_(app_->plugin), store_(std::move(store)) {
  if (own != nullptr) own_.emplace(settings_.index, std::move(own), settings_.copies);
  for (const std::uint32_t worker : settings_.workers) workers_.push_back({Role::worker, worker});
}

Status Partition::step(const Envelope& in, Outbox& out) {
  return handle<Welcome, JobFacts, Expect, Parts, Evaluate, Save, Put, Fetch, AskChunk, Chunk>(
      in, [&](const auto& message) { return on(message, in.from, out); });
}

Status Partition::on(const Welcome& welcome, NodeId, Outbox& out) {
  if (!welcome.resume) return {};
  const Epoch epoch = *welcome.resume;
  server_.emplace(epoch, settings_.index, settings_.credit, workers_, rows_, store_);
  if (!own_) {
    server_->open(out);
    return {};
  }
  const bool named = settings_.index < welcome.files.size() &&
                     RunFolder::is_partition_of(welcome.files[settings_.index].file, epoch, settings_.index);
  if (!named) return {ExitCode::bug, "the coordinator names no file to resume " + id().name() + " from"};
  own_->get(epoch, welcome.files[settings_.index], out, [this](Outbox& later) {
    server_->open(later);
    restore_if_ready(later);
    return Status();
  });
  return {};
}

Status Partition::on(const JobFacts& message, NodeId from, Outbox& out) {
  if (std::exchange(shaped_, true)) return unexpected(message.kind, from);
  const Facts facts(message.facts);
  ROTA_TRY(call_hook(plugin_.name, "pull", id().name(), [&] {
    rows_ = Rows(tables_of(*app_->app, app_->job, facts), settings_.index, app_->job.partitions);
    pull_ = app_->app->pull(facts);
    if (pull_ == nullptr) throw std::runtime_error("App::pull returned null");
    terms_ = app_->app->terms();
  }));
  if (!server_) {
    ROTA_TRY(call_hook(plugin_.name, "App::start_row", id().name(), [&] {
      for_each_starting_row(*app_->app, facts, rows_.tables(), app_->job.seed, [&](TableId table, Key key, auto row) {
        if (home_of_row(rows_.tables()[table], table, key, app_->job.partitions) == settings_.index)
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
  if (!shaped_ || !server_->is_open()) return;
  const auto read = [this]() -> Result<Rows> {
    Rows rows(rows_.tables(), settings_.index, app_->job.partitions);
    ROTA_TRY(store_->read_rows(server_->epoch(), settings_.index, rows));
    ROTA_TRY(restore_pull());
    return rows;
  };
  out.start_io(followed_by(read, [this](Rows& rows, Outbox& later) {
    rows_ = std::move(rows);
    last_rounds_.clear();
    server_->send_rows(later);
  }));
}

Status Partition::restore_pull() {
  ROTA_ASSIGN(const auto state, store_->read(server_->epoch(), settings_.index, Object::pull, settings_.index));
  Reader in(state.view());
  ROTA_TRY(call_hook(plugin_.name, "Pull::restore", id().name(), [&] { pull_->restore(in); }));
  return in.done() ? Status() : Status(ExitCode::disk, "the state of pull in the checkpoint is damaged");
}

// ---- rounds ----

Status Partition::on(const Expect& expect, NodeId, Outbox& out) {
  ROTA_TRY(check_rows(rows_.tables(), rows_of_round(expect.rows)));
  const Table& table = rows_.tables()[expect.rows.table];
  for (const Key key : expect.rows.keys)
    if (!rows_.may_have(expect.rows.table, key))
      return {ExitCode::bug,
              "row " + std::to_string(key) + " of table " + table.name + " is expected in " + id().name()};
  const std::size_t numbers =
      expect.rows.open ? table.part_width : part_offsets(table, rows_of_round(expect.rows)).back();
  ROTA_TRY(gather_.expect(expect, numbers, rows_.range(expect.rows.table), table.combine));
  return commit_whole(out);
}

Status Partition::on(const Parts& parts, NodeId from, Outbox& out) {
  ROTA_TRY(gather_.add(parts).in("parts from " + from.name()));
  return commit_whole(out);
}

// Pulls what is whole, one round after the other.  One with notes or many numbers may be long work, and goes to a
// compute thread; another is over sooner than a thread would be found for it.
Status Partition::commit_whole(Outbox& out) {
  while (!busy_) {
    auto whole = gather_.take();
    if (!whole) return evaluate_if_over(out);
    const bool talks = std::ranges::any_of(whole->notes, [](const Bytes& n) { return !n.empty(); });
    if (!talks && whole->sum.size() <= kBriefMost && whole->open.numbers() <= kBriefMost) {
      ROTA_ASSIGN(Done done, run_pull(*whole));
      ROTA_TRY(commit(*whole, std::move(done), out));
      continue;
    }
    busy_ = true;
    const auto pulled = std::make_shared<Gather::Whole>(*std::move(whole));
    out.start(followed_by([this, pulled] { return run_pull(*pulled); },
                          [this, pulled](Done& done, Outbox& later) -> Status {
                            busy_ = false;
                            long_pulls_.add(done.took);
                            ROTA_TRY(commit(*pulled, std::move(done), later));
                            return commit_whole(later);
                          }),
              long_pulls_.expected());
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

Result<Partition::Done> Partition::run_pull(Gather::Whole& whole) {
  const Nanoseconds began = now_ns();
  const SharedRows& rows = whole.expect.rows;
  const Table& table = rows_.tables()[rows.table];
  const PullEntries entries = name_rows(whole);
  const Feedback wish = whole.expect.awaited_by ? whole.expect.awaited_by->wish : Feedback::reply;
  SparseRows last;
  if (auto found = last_rounds_.extract(rows.table)) last = std::move(found.mapped());
  const bool known = wish == Feedback::norms && rows.open && last.runs() == whole.open.runs() && !last.pieces().empty();
  LendableVector<double> copy;
  std::array<double, kNormBlock> block;
  if (wish != Feedback::reply && !known) copy = values_of(entries, table.row_width, [](auto...) {});
  const std::span<const double> before = known ? last.pieces().front().numbers : copy;
  const std::string where = "round " + std::to_string(rows.round);
  const bool talks = takes_notes(table, rows.open, settings_.index);
  Writer reply;
  const auto notes = talks ? std::span<const Bytes>(whole.notes) : std::span<const Bytes>();
  const PullTask task{rows.round, rows.table, entries, rows.blocks, rows.argument, notes, reply, seed_};
  ROTA_TRY(call_hook(plugin_.name, "Pull::pull", where, [&] { pull_->pull(task); }));
  Done done;
  bool finite = true;
  auto values = values_of(entries, table.row_width, [&](std::span<const double> after, std::size_t at) {
    ChangeNorms norms{.l1 = std::numeric_limits<double>::infinity()};
    if (!before.empty()) {
      const std::span<double> changes =
          wish == Feedback::changes ? std::span(copy).subspan(at, after.size()) : std::span(block).first(after.size());
      for (std::size_t i = 0; i < after.size(); ++i) changes[i] = after[i] - before[at + i];
      if (wish == Feedback::norms) done.feedback.norms += norms = norms_of_block(changes);
    }
    // What was committed is finite: a finite sum of the changes' sizes shows that this is, too.
    finite = finite && (std::isfinite(norms.l1) || all_finite(after));
  });
  if (!finite) {
    const auto wrong = std::ranges::find_if(values, [](double x) { return !std::isfinite(x); });
    const auto row = static_cast<std::size_t>(wrong - values.begin()) / table.row_width;
    return Status(ExitCode::failed, "plugin " + std::string(plugin_.name) + ", Pull::pull, " + where + ": row " +
                                        std::to_string(entries[row].key) + " of " + table.name +
                                        " is not a finite number");
  }
  Deltas& deltas = done.deltas;
  deltas.rows = rows;
  deltas.rows.blocks.clear();
  deltas.rows.argument = {};
  deltas.runs = whole.open.runs();
  deltas.values = bytes_of(std::move(values));
  if (rows.open && wish == Feedback::norms && deltas.values.size() <= kKeptMost)
    last_rounds_[rows.table] = SparseRows(deltas.runs, deltas.values, table.row_width);
  const Bytes replied = Bytes::from(reply.take());
  if (!talks && !replied.empty())
    return Status(ExitCode::failed, "plugin " + std::string(plugin_.name) + ", Pull::pull, " + where +
                                        ": a reply, and table " + table.name + " spans partitions");
  if (task.reply_to != ReplyTo::schedule) deltas.reply = replied;
  if (task.reply_to != ReplyTo::shards) done.feedback.reply = replied;
  if (wish == Feedback::changes) {
    done.feedback.values = deltas.values;
    done.feedback.changes = bytes_of(std::move(copy));
    done.feedback.runs = deltas.runs;
  }
  done.took = now_ns() - began;
  return done;
}

Status Partition::commit(const Gather::Whole& whole, Done done, Outbox& out) {
  out.send(workers_, done.deltas);
  if (const auto& awaited = whole.expect.awaited_by) {
    if (awaited->scheduler >= app_->job.schedulers) return {ExitCode::bug, "feedback for no scheduler of this run"};
    done.feedback.round = awaited->round;
    out.send({Role::scheduler, awaited->scheduler}, std::move(done.feedback));
  }
  return {};
}

// ---- the end of an epoch ----

// It may come before the last rounds of its epoch are committed, and waits for them.
Status Partition::on(const Evaluate& evaluate, NodeId from, Outbox& out) {
  if (to_evaluate_) return unexpected(evaluate.kind, from);
  to_evaluate_ = evaluate;
  return busy_ ? Status() : evaluate_if_over(out);
}

Status Partition::evaluate_if_over(Outbox& out) {
  if (!to_evaluate_ || gather_.expects()) return {};
  busy_ = true;
  // Started, not done here: the deltas of this step's commit leave before it.
  out.start(followed_by([this, epoch = std::exchange(to_evaluate_, std::nullopt)->epoch] { return evaluate(epoch); },
                        [this](std::pair<Evaluated, Nanoseconds>& done, Outbox& later) {
                          busy_ = false;
                          evaluating_.add(done.second);
                          later.send(kCoordinator, std::move(done.first));
                          return commit_whole(later);
                        }),
            evaluating_.expected());
  return {};
}

Result<std::pair<Evaluated, Nanoseconds>> Partition::evaluate(Epoch epoch) {
  const Nanoseconds began = now_ns();
  Evaluated result;
  result.epoch = epoch;
  result.rows.assign(terms_.size(), 0.0);
  ROTA_TRY(call_hook(plugin_.name, "Pull::evaluate", "epoch " + std::to_string(epoch), [&] {
    for (TableId table = 0; table < rows_.tables().size(); ++table)
      rows_.for_each_after(table, std::nullopt, [&](Key key, std::span<const double> values) {
        return pull_->evaluate_row(table, key, values, {terms_, result.rows});
      });
  }));
  return std::pair(std::move(result), now_ns() - began);
}

Status Partition::on(const Save& save, NodeId, Outbox& out) {
  Writer state;
  ROTA_TRY(call_hook(plugin_.name, "Pull::save", id().name(), [&] { pull_->save(state); }));
  const Bytes bytes = Bytes::from(state.take());
  collector_.begin(save, rows_);
  collector_.add({save.epoch, Object::pull, settings_.index, hash128(bytes.view()), bytes}, id(), out);
  return {};
}

Status Partition::on(const Put& put, NodeId from, Outbox& out) {
  if (hash128(put.bytes.view()) != put.hash)
    return {ExitCode::bug, "an object from " + from.name() + " does not have the hash it came with"};
  collector_.add(put, from, out);
  return {};
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
  if (!server_) return unexpected(fetch.kind, from);
  server_->fetch(fetch, from, out);
  return {};
}

}  // namespace rota
