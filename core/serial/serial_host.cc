// core/serial/serial_host.cc -- the roles' work in one thread, one round after the other.  Whatever decides bits -
// trees of sums, places of rows, seeds, hashes - is that of core/.
#include "rota/testing/serial_host.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "core/base/finite.h"
#include "core/base/seed.h"
#include "core/job/scores.h"
#include "core/job/tables.h"
#include "core/rounds/norms.h"
#include "core/rounds/placement.h"
#include "core/rounds/push_kinds.h"
#include "core/rounds/rows.h"
#include "core/rounds/rules.h"
#include "core/rounds/sparse_rows.h"
#include "rota/exchange/exchange_push.h"

namespace rota {
namespace {

template <typename T>
std::vector<std::byte> bytes_of(const T& object, void (T::*write)(Writer&) const) {
  Writer out;
  (object.*write)(out);
  return out.take();
}

template <typename T>
void read_back(T& object, void (T::*read)(Reader&), const std::vector<std::byte>& bytes, const std::string& what) {
  Reader in(bytes);
  (object.*read)(in);
  if (!in.done()) throw std::runtime_error(what + " is refused");
}

void require_finite(std::span<const double> numbers, const char* what) {
  if (!all_finite(numbers)) throw std::runtime_error(std::string(what) + " is not a finite number");
}

void require_parts(std::span<const double> parts, Combine how) {
  if (!are_parts(parts, how)) throw std::runtime_error("a part is not a finite number");
}

void require(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.what());
}

}  // namespace

std::vector<Delta> SerialHost::deltas_of(const Committed& committed) {
  std::vector<Delta> deltas;
  const std::size_t width = committed.keys.empty() ? 0 : committed.values.size() / committed.keys.size();
  for (std::size_t i = 0; i < committed.keys.size(); ++i)
    deltas.push_back({committed.keys[i], std::span(committed.values).subspan(i * width, width),
                      std::span(committed.changes).subspan(i * width, width)});
  return deltas;
}

// ---- the beginning ----

SerialHost::SerialHost(const Plugin& plugin, Job job, Tracer tracer)
    : plugin_(plugin),
      job_(std::move(job)),
      partitions_(job_.options.has("partitions") ? static_cast<std::uint32_t>(job_.options.integer("partitions")) : 1),
      tracer_(std::move(tracer)) {
  trace("check");
  if (plugin.check != nullptr) plugin.check(job_.options);
  prepare(false);
}

void SerialHost::prepare(bool resumed) {
  load();
  make_views();
  trace("Push::attach");
  for (ShardId s = 0; s < job_.shards; ++s) shards_[s]->attach({facts_, cut_, views_, s == 0});
  trace("App::slice");
  for (const std::vector<Key>& keys : cut_.slices) slices_.push_back(app_->slice(keys));
  if (!resumed) start();
}

// What the app makes of the job and of its data.
void SerialHost::load() {
  trace("app");
  app_ = plugin_.app(job_);
  std::vector<ShardId> all(job_.shards);
  std::iota(all.begin(), all.end(), ShardId{0});
  Random common = random_for(job_.seed, Stream::load, 0, 0, 0);
  trace("load");
  shards_ = app_->load(all, common);
  Census census;
  for (ShardId s = 0; s < job_.shards; ++s) {
    facts_.merge(facts_of(*app_, s, *shards_[s]));
    add_census(*shards_[s], census);
  }
  trace("tables");
  tables_ = tables_of(*app_, job_, facts_);
  rows_ = CommittedRows(tables_);
  dataflows_ = app_->dataflows(facts_);
  routes_of(*app_, facts_, job_.shards);  // checks them
  trace("schedule");
  schedulers_.resize(job_.schedulers);
  for (std::uint32_t i = 0; i < job_.schedulers; ++i) {
    Scheduler& one = schedulers_[i];
    one.schedule = app_->schedule(facts_, Share{i, job_.schedulers});
    one.pipeline = one.schedule->pipeline(job_.pipeline);
    if (!plugin_.sliced) continue;
    Cut cut = one.schedule->cut(census, job_.slices);
    if (cut.slices.size() != job_.slices) throw std::runtime_error("the cut has another number of slices");
    if (i == 0) cut_ = std::move(cut);
  }
  trace("pull");
  for (std::uint32_t p = 0; p < partitions_; ++p) pulls_.push_back(app_->pull(facts_));
}

void SerialHost::make_views() {
  view_numbers_.resize(tables_.size());
  view_versions_.resize(tables_.size());
  views_.resize(tables_.size());
  for (TableId t = 0; t < tables_.size(); ++t) {
    if (!tables_[t].dense) continue;
    if (!sees_in_place()) view_numbers_[t].resize(tables_[t].keys * tables_[t].row_width);
    const double* const numbers = sees_in_place() ? rows_.dense_numbers(t) : view_numbers_[t].data();
    views_[t] = TableView(tables_[t].keys, tables_[t].row_width, numbers, &view_versions_[t]);
  }
}

void SerialHost::start() {
  for (ShardId s = 0; s < job_.shards; ++s) {
    trace("Push::start");
    Random own = random_for(job_.seed, Stream::start, s, 0, 0);
    Random common = random_for(job_.seed, Stream::start_common, 0, 0, 0);
    shards_[s]->start(own, common);
  }
  for (SliceId b = 0; b < slices_.size(); ++b) {
    Random random = random_for(job_.seed, Stream::start_slice, b, 0, 0);
    app_->start(facts_, b, *slices_[b], cut_.slices[b], random);
  }
  trace("App::start_row");
  for_each_starting_row(*app_, facts_, tables_, job_.seed, [&](TableId table, Key key, std::span<const double> row) {
    std::ranges::copy(row, rows_.make(table, key).begin());
    see(table, key, row);
  });
  epochs_ = plugin_.starting_pass ? 0 : 1;
}

// ---- epochs ----

void SerialHost::run() {
  const auto asked = job_.options.has("epochs") ? static_cast<Epoch>(job_.options.integer("epochs")) : 0;
  const Epoch last = asked > 0 ? asked : plugin_.epochs;
  while (!done_ && (last == 0 || epochs_ <= last)) run_epoch();
}

void SerialHost::begin_epoch() {
  for (std::uint32_t i = 0; i < schedulers_.size(); ++i) {
    Scheduler& scheduler = schedulers_[i];
    scheduler.random = random_for(job_.seed, Stream::schedule, epochs_, i, 0);
    scheduler.chosen = scheduler.fed_back = 0;
    scheduler.ended = false;
  }
  pushed_ = refreshed_ = 0;
  visits_.assign(slices_.size(), 0);
}

// Schedulers take turns; one that has ended its epoch is passed over until all have.
void SerialHost::run_epoch() {
  if (done_) return;
  begin_epoch();
  std::optional<bool> ends_job;
  std::size_t at = 0, ended = 0;
  while (ended < schedulers_.size()) {
    const auto turn = static_cast<std::uint32_t>(at++ % schedulers_.size());
    if (schedulers_[turn].ended) continue;
    const Round round = choose(turn);
    ++rounds_;
    gather(exchanges_out(round));
    refresh(pushed_ - std::min<std::uint64_t>(pushed_, job_.staleness));
    run_owned(round);
    if (round.dataflow) run_exchange(round);
    if (is_shared(round)) run_shared(round, turn);
    if (!round.ends_epoch && !round.ends_job) continue;
    schedulers_[turn].ended = true;
    ++ended;
    merge_answers(ends_job, round.ends_job);
  }
  done_ = *ends_job;
  end_epoch();
}

void SerialHost::end_epoch() {
  gather(0);
  refresh(pushed_);
  figures_.clear();
  converged_.reset();
  std::optional<bool> ends_job;
  for (Scheduler& scheduler : schedulers_) {
    if (scheduler.pipeline > 0) feed_back(scheduler, scheduler.chosen);
    scheduler.committed.clear();
    for (Figure& figure : scheduler.schedule->figures()) figures_.push_back(std::move(figure));
    merge_answers(converged_, scheduler.schedule->converged());
    merge_answers(ends_job, scheduler.schedule->may_end_job() && scheduler.schedule->ends_job());
  }
  done_ = done_ || *ends_job;
  ++epochs_;
}

Round SerialHost::choose(std::uint32_t number) {
  Scheduler& scheduler = schedulers_[number];
  feed_back(scheduler, feedback_due(scheduler.chosen, scheduler.pipeline));
  trace("Schedule::next", rounds_ + 1);
  Round round = scheduler.schedule->next(scheduler.random);
  require(check_round(rounds_ + 1, round, tables_, shards_.size(), slices_.size()));
  require(check_dataflow(rounds_ + 1, round, dataflows_.size()));
  if (is_shared(round)) ++scheduler.chosen;
  ++scheduler.next;
  if (watcher_) watcher_(round, number);
  return round;
}

// ---- a round ----

void SerialHost::run_owned(const Round& round) {
  for (ShardId s = 0; s < round.owned.size(); ++s) {
    if (!round.owned[s]) continue;
    const SliceId b = *round.owned[s];
    Random random = random_for(job_.seed, Stream::push_slice, epochs_, s, b);
    const SliceTask task{b, epochs_, rounds_, visits_[b]++, round.last_visits, round.argument, budget_};
    trace("Push::push", rounds_);
    as<AnySlicePush>(*shards_[s]).push_any(task, *slices_[b], random);
  }
}

void SerialHost::run_shared(const Round& round, std::uint32_t scheduler) {
  commit(round, scheduler, sum_of_shards(round));
}

SerialHost::Summed SerialHost::sum_of_shards(const Round& round) {
  const Table& table = tables_.at(round.table);
  Summed summed{round.shared, part_offsets(table, rows_of_round(rounds_, round)), {}, {}, {}};
  std::vector<std::vector<double>> parts;
  SparseTreeSum open_sum(job_.shards);
  ScratchPool scratches;
  for (ShardId s = 0; s < shards_.size(); ++s) {
    Writer note;
    auto scratch = round.open ? scratches.take(round.table, table, s) : nullptr;
    parts.emplace_back(summed.offsets.back(), identity_of(table.combine));
    push_shared(s, round, summed.offsets, parts.back(), scratch ? scratch->parts() : OpenParts(), note);
    require_parts(parts.back(), table.combine);
    if (!takes_notes(table, round.open, kSinglePartition) && !note.view().empty())
      throw std::runtime_error("a note, and the table spans partitions");
    summed.notes.push_back(Bytes::from(note.take()));
    if (!scratch) continue;
    SparseRows rows = scratches.parts(round.table, s, std::move(scratch));
    for (const SparseRows::Piece& piece : rows.pieces()) require_parts(piece.numbers, table.combine);
    if (!open_sum.add({0, s}, std::move(rows), table.combine)) throw std::logic_error("parts of different sizes");
  }
  ++pushed_;
  if (round.open)
    summed.open = std::make_shared<const SparseRows>(std::move(*open_sum.total()));
  else
    summed.sums = sum_over_tree(parts, summed.offsets.back(), table.combine);
  return summed;
}

void SerialHost::push_shared(ShardId s, const Round& round, const std::vector<std::size_t>& offsets,
                             std::vector<double>& parts, const OpenParts& open_parts, Writer& note) {
  const Table& table = tables_[round.table];
  const std::vector<double> zeros(table.row_width);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < round.shared.size(); ++i) {
    const Key key = round.shared[i];
    const auto row = seen_.find({round.table, key});
    std::span<const double> value = table.dense          ? views_[round.table].row(key)
                                    : sees_in_place()    ? rows_.find(round.table, key)
                                    : row == seen_.end() ? std::span<const double>()
                                                         : std::span<const double>(row->second);
    if (value.empty()) value = zeros;
    entries.push_back({key, value, std::span(parts).subspan(offsets[i], offsets[i + 1] - offsets[i])});
  }
  trace("Push::push", rounds_);
  Random random = random_for(job_.seed, Stream::push_shared, epochs_, s, rounds_);
  as<SharedPush>(*shards_[s])
      .push({epochs_, rounds_, round.table, entries, round.blocks, round.argument, note,
             round.open ? open_parts : OpenParts(entries)},
            random);
}

void SerialHost::commit(const Round& round, std::uint32_t scheduler, const Summed& summed) {
  const Table& table = tables_[round.table];
  const auto result = std::make_shared<Committed>();
  result->round = rounds_;
  result->own = schedulers_[scheduler].next - 1;
  result->table = round.table;
  result->argument = round.argument;
  // A scheduler without a pipeline has no feedback, and views of dense tables are not told of changes.
  const bool told = schedulers_[scheduler].pipeline > 0 || !table.dense;
  if (told || !sees_in_place()) {
    result->keys = summed.keys;
    for (const KeyRun& run : round.open ? summed.open->runs() : std::vector<KeyRun>())
      for (Key key = run.first; key < run.first + run.count; ++key) result->keys.push_back(key);
  }
  std::vector<std::span<double>> rows;
  for (const Key key : result->keys) {
    const std::span<double> row = rows.emplace_back(rows_.make(round.table, key));
    if (told) result->changes.insert(result->changes.end(), row.begin(), row.end());  // see below
  }
  const std::map<std::uint32_t, PartRows> parts = rows_of_parts(round, summed);
  for (const auto& [partition, its] : parts) pull(partition, round, summed, its, *result);
  result->values.reserve(result->keys.size() * table.row_width);
  for (const std::span<double> row : rows) result->values.insert(result->values.end(), row.begin(), row.end());
  for (std::size_t i = 0; i < result->changes.size(); ++i) result->changes[i] = result->values[i] - result->changes[i];
  // The norms are summed as the partitions' are: each over its rows, then all of them.
  std::map<std::uint32_t, std::vector<double>> changes;
  for (std::size_t i = 0; told && i < result->keys.size(); ++i) {
    const auto from = result->changes.begin() + static_cast<std::ptrdiff_t>(i * table.row_width);
    std::vector<double>& its = changes[home_of_row(table, round.table, result->keys[i], partitions_)];
    its.insert(its.end(), from, from + table.row_width);
  }
  for (const auto& [partition, its] : changes) result->norms += norms_of(its);
  to_refresh_.push_back(result);
  if (schedulers_[scheduler].pipeline > 0) schedulers_[scheduler].committed.push_back(result);
}

// The rows of a round, by partition.
std::map<std::uint32_t, SerialHost::PartRows> SerialHost::rows_of_parts(const Round& round, const Summed& summed) {
  const Table& table = tables_[round.table];
  std::map<std::uint32_t, PartRows> parts;
  if (table.single_partition) parts[kSinglePartition];
  for (std::uint32_t p = 0; p < (round.open && !table.single_partition ? partitions_ : 0); ++p) parts[p];
  for (std::size_t i = 0; i < summed.keys.size(); ++i)
    parts[home_of_row(table, round.table, summed.keys[i], partitions_)].entries.push_back(
        {summed.keys[i], std::span(summed.sums).subspan(summed.offsets[i], summed.offsets[i + 1] - summed.offsets[i]),
         rows_.make(round.table, summed.keys[i])});
  if (!round.open) return parts;
  for (RowWalk walk(*summed.open); !walk.done();) {
    const Key first = walk.key();
    const std::uint32_t home = home_of_row(table, round.table, first, partitions_);
    std::uint64_t count = 1;
    while (count < walk.left() && home_of_row(table, round.table, first + count, partitions_) == home) ++count;
    for (Key key = first; key < first + count; ++key) rows_.make(round.table, key);
    parts[home].runs.push_back({first,
                                count,
                                {walk.take(count), count * table.part_width},
                                {rows_.make(round.table, first).data(), count * table.row_width}});
  }
  return parts;
}

// One partition's rows of a round.
void SerialHost::pull(std::uint32_t partition, const Round& round, const Summed& summed, const PartRows& its,
                      Committed& result) {
  const Table& table = tables_[round.table];
  Writer reply;
  const PullEntries entries = round.open ? PullEntries(std::span(its.runs)) : PullEntries(its.entries);
  const bool talks = takes_notes(table, round.open, partition);
  PullTask task{rounds_, round.table, entries, {}, round.argument, {}, reply, pull_seed(job_.seed)};
  if (talks) task.notes = summed.notes;
  if (table.single_partition) task.blocks = round.blocks;
  trace("Pull::pull", rounds_);
  pulls_[partition]->pull(task);
  if (!talks && !reply.view().empty()) throw std::runtime_error("a reply, and the table spans partitions");
  if (!reply.view().empty()) {
    const Bytes replied = Bytes::from(reply.take());
    if (task.reply_to != ReplyTo::schedule) result.to_shards = replied;
    if (task.reply_to != ReplyTo::shards) result.to_schedule = replied;
  }
  for (const PullEntry& entry : entries) require_finite(entry.value, "a row");
}

// ---- rounds of an exchange: all shards, step after step ----

// The host is in epoch `epochs_`, and all shards are in the same rounds, so that what one waits for is there when its
// turn comes.
void SerialHost::run_exchange(const Round& round) {
  for (ShardId s = 0; s < shards_.size(); ++s) {
    Random random = random_for(job_.seed, Stream::push_exchange, epochs_, s, rounds_);
    trace("Push::push", rounds_);
    as<ExchangePush>(*shards_[s]).push(ExchangeTask{epochs_, rounds_, *round.dataflow, round.argument}, random);
  }
  exchanges_.push_back({round, rounds_, {}});
  exchanges_.back().messages = scatter(exchanges_.back(), 0);
}

std::vector<std::vector<Incoming>> SerialHost::scatter(const Exchange& exchange, std::uint32_t step) {
  const std::uint32_t dataflow = *exchange.round.dataflow;
  std::vector<std::vector<Incoming>> messages(shards_.size());
  for (ShardId s = 0; s < shards_.size(); ++s) {
    Outgoing out(dataflows_[dataflow].steps[step][s]);
    trace("Push::scatter", exchange.number);
    as<ExchangePush>(*shards_[s]).scatter({epochs_, exchange.number, dataflow, exchange.round.argument}, step, out);
    std::vector<Bytes> sent = out.take();
    for (std::size_t i = 0; i < sent.size(); ++i) messages[out.receivers()[i]].push_back({s, std::move(sent[i])});
  }
  return messages;
}

void SerialHost::gather(std::size_t most) {
  while (exchanges_.size() > most) {
    Exchange& exchange = exchanges_.front();
    const std::uint32_t dataflow = *exchange.round.dataflow;
    for (std::uint32_t step = 0; step < dataflows_[dataflow].steps.size(); ++step) {
      if (step > 0) exchange.messages = scatter(exchange, step);
      for (ShardId s = 0; s < shards_.size(); ++s) {
        trace("Push::gather", exchange.number);
        as<ExchangePush>(*shards_[s])
            .gather({epochs_, exchange.number, dataflow, exchange.round.argument}, step, exchange.messages[s]);
      }
    }
    exchanges_.pop_front();
  }
}

// How many exchanges may be out before this round.
std::size_t SerialHost::exchanges_out(const Round& round) const {
  const auto lags = [&](const Round& one) { return one.dataflow && dataflows_[*one.dataflow].steps.size() == 1; };
  return lags(round) && (exchanges_.empty() || lags(exchanges_.front().round)) ? job_.staleness : 0;
}

// ---- what a commit is sent to ----

// The shards see a row as it is now.
void SerialHost::see(TableId table, Key key, std::span<const double> value) {
  ++view_versions_[table];
  if (sees_in_place()) return;
  if (tables_[table].dense)
    std::ranges::copy(value, view_numbers_[table].begin() + static_cast<std::ptrdiff_t>(key * value.size()));
  else
    seen_[{table, key}] = {value.begin(), value.end()};
}

// What is seen is as of all these commits before the shards are given the first.
void SerialHost::refresh(std::uint64_t upto) {
  for (std::uint64_t i = refreshed_; i < upto; ++i) {
    const Committed& one = *to_refresh_[i - refreshed_];
    ++view_versions_[one.table];
    const std::size_t width = tables_[one.table].row_width;
    for (std::size_t k = 0; k < one.keys.size(); ++k)
      see(one.table, one.keys[k], std::span(one.values).subspan(k * width, width));
  }
  for (; refreshed_ < upto; ++refreshed_) {
    const Committed& one = *to_refresh_.front();
    const std::vector<Delta> deltas = tables_[one.table].dense ? std::vector<Delta>() : deltas_of(one);
    trace("Push::refresh", one.round);
    for (const auto& shard : shards_) shard->refresh({one.round, one.table, deltas, one.argument, one.to_shards});
    to_refresh_.pop_front();
  }
}

void SerialHost::feed_back(Scheduler& scheduler, std::uint64_t upto) {
  const Feedback wish = scheduler.schedule->wish();
  for (; scheduler.fed_back < upto; ++scheduler.fed_back) {
    const Committed& one = *scheduler.committed.front();
    const std::vector<Delta> deltas = wish == Feedback::changes ? deltas_of(one) : std::vector<Delta>();
    trace("Schedule::feedback", one.round);
    scheduler.schedule->feedback({one.own, one.table, deltas, one.argument, one.to_schedule,
                                  wish == Feedback::norms ? one.norms : ChangeNorms()});
    scheduler.committed.pop_front();
  }
}

// ---- between epochs ----

std::vector<double> SerialHost::evaluate() const {
  const std::vector<Term> terms = app_->terms();
  Leaves of_shards(shards_.size(), std::vector<double>(terms.size()));
  for (ShardId s = 0; s < shards_.size(); ++s) {
    trace("Push::evaluate");
    const auto add = [&, sum = &of_shards[s]](auto evaluate) {
      std::vector<double> own(terms.size());
      evaluate({terms, own});
      for (std::size_t i = 0; i < own.size(); ++i) (*sum)[i] += own[i];
    };
    const auto slices = static_cast<std::uint32_t>(app_->evaluating_pass() ? slices_.size() : 0);
    for (std::uint32_t step = 0; slices > 0 && step < std::max(slices, job_.shards); ++step)
      if (const auto b = slice_at_step(s, step, job_.shards, slices))
        add([&](Terms own) { as<AnySlicePush>(*shards_[s]).evaluate_any_visit(*b, *slices_[*b], own); });
    add([&](Terms own) { shards_[s]->evaluate(own); });
  }
  Leaves of_slices(slices_.size(), std::vector<double>(terms.size()));
  for (SliceId b = 0; b < slices_.size(); ++b)
    add_slice_terms(*shards_[b % shards_.size()], b, *slices_[b], {terms, of_slices[b]});
  trace("Pull::evaluate");
  Leaves of_rows(partitions_, std::vector<double>(terms.size()));
  rows_.for_each([&](TableId table, Key key, std::span<const double> row) {
    const std::uint32_t home = home_of_row(tables_[table], table, key, partitions_);
    pulls_[home]->evaluate_row(table, key, row, {terms, of_rows[home]});
  });
  const std::vector<double> sums = sum_of_terms({&of_shards, &of_slices, &of_rows}, terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    require_finite(std::span(&sums[i], 1), ("the term " + terms[i].name).c_str());
    if (terms[i].kind == Term::Kind::conserved && sums[i] != static_cast<double>(items()))
      throw std::runtime_error("the term " + terms[i].name + " is not the number of items");
  }
  return sums;
}

std::optional<double> SerialHost::score(const std::string& name) const {
  const std::vector<Term> terms = app_->terms();
  for (const Score& score : app_->scores())
    if (score.name == name) return score_value(score, terms, evaluate(), items());
  throw std::out_of_range("there is no score " + name);
}

std::uint64_t SerialHost::items() const {
  std::uint64_t sum = 0;
  for (const auto& shard : shards_) sum += shard->items();
  return sum;
}

double SerialHost::figure(const std::string& name) const {
  double sum = 0;
  for (const Figure& figure : figures_) sum += figure.name == name ? figure.value : 0;
  return sum;
}

std::vector<double> SerialHost::row(TableId table, Key key) const {
  const std::span<const double> found = rows_.find(table, key);
  return found.empty() ? std::vector<double>(tables_[table].row_width) : std::vector(found.begin(), found.end());
}

std::string SerialHost::model_hash() const {
  ModelHash hash;
  for (SliceId b = 0; b < slices_.size(); ++b) hash.add_slice(b, hash128(bytes_of(*slices_[b], &Slice::encode)));
  rows_.for_each(
      [&](TableId table, Key key, std::span<const double> row) { hash.add_rows(row_hash(table, key, row)); });
  return hash.get().hex();
}

SerialHost::Snapshot SerialHost::save() const {
  trace("save");
  Snapshot snapshot;
  snapshot.epochs = epochs_;
  snapshot.rounds = rounds_;
  snapshot.done = done_;
  for (const auto& slice : slices_) snapshot.slices.push_back(bytes_of(*slice, &Slice::encode));
  for (const auto& shard : shards_) snapshot.shards.push_back(bytes_of<Stateful>(*shard, &Stateful::save));
  for (const auto& scheduler : schedulers_)
    snapshot.schedules.push_back(bytes_of<Stateful>(*scheduler.schedule, &Stateful::save));
  for (const auto& pull : pulls_) snapshot.pulls.push_back(bytes_of<Stateful>(*pull, &Stateful::save));
  snapshot.rows = rows_;
  return snapshot;
}

void SerialHost::restore(const Snapshot& snapshot) {
  slices_.clear();
  shards_.clear();
  pulls_.clear();
  schedulers_.clear();
  to_refresh_.clear();
  view_numbers_.clear();
  views_.clear();
  facts_ = {};
  app_.reset();
  prepare(true);
  seen_.clear();
  snapshot.rows.for_each([&](TableId table, Key key, std::span<const double> row) {
    std::ranges::copy(row, rows_.make(table, key).begin());
    see(table, key, row);
  });
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    read_back<Stateful>(*schedulers_[i].schedule, &Stateful::restore, snapshot.schedules.at(i), "the schedule");
    schedulers_[i].next = snapshot.rounds + 1;
  }
  for (std::uint32_t p = 0; p < partitions_; ++p)
    read_back<Stateful>(*pulls_[p], &Stateful::restore, snapshot.pulls.at(p), "the pull");
  for (SliceId b = 0; b < slices_.size(); ++b)
    read_back(*slices_[b], &Slice::decode, snapshot.slices.at(b), "slice " + std::to_string(b));
  for (ShardId s = 0; s < shards_.size(); ++s)
    read_back<Stateful>(*shards_[s], &Stateful::restore, snapshot.shards.at(s), "shard " + std::to_string(s));
  epochs_ = snapshot.epochs;
  rounds_ = snapshot.rounds;
  done_ = snapshot.done;
}

}  // namespace rota
