// tests/apps/serial_host.cc
#include "tests/apps/serial_host.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <set>
#include <stdexcept>

namespace rota::tests {
namespace {

// A generator for one task, from all that names the task (SplitMix64, Steele et al., OOPSLA 2014).
Random random_for(std::initializer_list<std::uint64_t> names) {
  std::uint64_t state = 0;
  const auto next = [&state] {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  for (const std::uint64_t name : names) state = next() ^ name;
  return Random({next(), next(), next(), next()});
}

enum Hook : std::uint64_t { kNext = 1, kPushSlice, kPushShared, kStart, kStartCommon, kStartSlice };

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

std::uint32_t framework_option(const Job& job, const char* name, std::uint32_t otherwise) {
  return job.options.has(name) ? static_cast<std::uint32_t>(job.options.integer(name)) : otherwise;
}

void check(const Round& round, const std::vector<Table>& tables) {
  if (!is_shared(round)) return;
  const Table& table = tables.at(round.table);
  const std::uint64_t in_blocks = std::accumulate(round.blocks.begin(), round.blocks.end(), std::uint64_t{0});
  if (!round.blocks.empty() && in_blocks != round.shared.size())
    throw std::runtime_error("the blocks are not the round's rows");
  if (round.open && (!table.dense || !round.shared.empty() || !round.blocks.empty()))
    throw std::runtime_error("an open round names rows, or its table is not dense");
  if (std::set<Key>(round.shared.begin(), round.shared.end()).size() != round.shared.size())
    throw std::runtime_error("a round has a row twice");
  for (const Key key : round.shared)
    if (key >= table.keys) throw std::runtime_error("a round has a row beyond its table");
}

// How many numbers each of the round's rows has in its part.
std::vector<std::size_t> part_widths(const Round& round, const Table& table) {
  std::vector<std::size_t> widths;
  for (const std::uint32_t size : round.blocks)
    for (std::uint32_t q = 0; q < size; ++q) widths.push_back(table.part_width + std::size_t{q} * table.block_width);
  widths.resize(round.shared.size(), table.part_width);
  return widths;
}

}  // namespace

Job make_job(const Plugin& plugin, std::map<std::string, std::string> given, std::vector<std::string> input) {
  std::map<std::string, std::string, std::less<>> values;
  for (const Option& option : plugin.options) values[std::string(option.name)] = option.default_value;
  for (auto& [name, value] : given) values[name] = value;
  Job job;
  job.options = Options(std::move(values));
  job.input = std::move(input);
  job.schedulers = framework_option(job, "schedulers", 1);
  job.staleness = framework_option(job, "staleness", 0);
  job.pipeline = framework_option(job, "pipeline", 0);
  return job;
}

SerialHost::SerialHost(const Plugin& plugin, Job job) : plugin_(plugin), job_(std::move(job)) {
  if (plugin.check != nullptr) plugin.check(job_.options);
  staleness_ = job_.staleness;
  app_ = plugin.app(job_);
  std::vector<ShardId> all(job_.shards);
  std::iota(all.begin(), all.end(), ShardId{0});
  shards_ = app_->load(all);
  Census census;
  for (const auto& shard : shards_) {
    shard->facts(facts_);
    shard->census(census);
  }
  tables_ = app_->tables(facts_);
  make_views();
  schedulers_.resize(job_.schedulers);
  for (std::uint32_t i = 0; i < job_.schedulers; ++i) {
    schedulers_[i].schedule = app_->schedule(facts_, Share{i, job_.schedulers});
    schedulers_[i].pipeline = schedulers_[i].schedule->pipeline(job_.pipeline);
  }
  pull_ = app_->pull(facts_);
  cut_ = schedulers_[0].schedule->cut(census, job_.slices);
  for (ShardId s = 0; s < job_.shards; ++s) {
    shards_[s]->attach({facts_, cut_, views_, s == 0});
    Random own = random_for({job_.seed, kStart, s}), common = random_for({job_.seed, kStartCommon});
    shards_[s]->start(own, common);
  }
  for (SliceId b = 0; b < cut_.slices.size(); ++b) {
    slices_.push_back(app_->slice(cut_.slices[b]));
    Random random = random_for({job_.seed, kStartSlice, b});
    app_->start(b, *slices_[b], cut_.slices[b], random);
  }
  if (!plugin.starting_pass) epochs_ = 1;
}

void SerialHost::make_views() {
  view_numbers_.resize(tables_.size());
  view_versions_.resize(tables_.size());
  views_.resize(tables_.size());
  for (TableId t = 0; t < tables_.size(); ++t) {
    if (!tables_[t].dense) continue;
    view_numbers_[t].resize(tables_[t].keys * tables_[t].row_width);
    views_[t] = TableView(tables_[t].keys, tables_[t].row_width, view_numbers_[t].data(), &view_versions_[t]);
  }
}

void SerialHost::put_into_view(TableId table, Key key, std::span<const double> value) {
  if (!tables_[table].dense) return;
  std::copy(value.begin(), value.end(), view_numbers_[table].begin() + static_cast<std::ptrdiff_t>(key * value.size()));
  ++view_versions_[table];
}

void SerialHost::begin_epoch() {
  for (std::uint32_t i = 0; i < schedulers_.size(); ++i) {
    Scheduler& scheduler = schedulers_[i];
    scheduler.random = random_for({job_.seed, kNext, epochs_, i});
    scheduler.chosen = scheduler.fed_back = 0;
    scheduler.ended = false;
  }
  pushed_ = refreshed_ = 0;
  visits_.assign(slices_.size(), 0);
}

void SerialHost::run_epoch() {
  if (done_) return;
  begin_epoch();
  bool all_end_job = true;
  std::size_t at = 0, ended = 0;
  while (ended < schedulers_.size()) {
    const auto turn = static_cast<std::uint32_t>(at++ % schedulers_.size());
    if (schedulers_[turn].ended) continue;
    const Round round = choose(turn);
    ++rounds_;
    run_owned(round);
    if (is_shared(round)) run_shared(round, turn);
    if (!round.ends_epoch && !round.ends_job) continue;
    schedulers_[turn].ended = true;
    ++ended;
    all_end_job = all_end_job && round.ends_job;
  }
  end_epoch();
  const auto ends_job = [](Scheduler& one) { return one.schedule->may_end_job() && one.schedule->ends_job(); };
  done_ = all_end_job || std::all_of(schedulers_.begin(), schedulers_.end(), ends_job);
}

void SerialHost::end_epoch() {
  refresh(pushed_);
  figures_.clear();
  for (Scheduler& scheduler : schedulers_) {
    feed_back(scheduler, scheduler.chosen);
    for (Figure& figure : scheduler.schedule->figures()) figures_.push_back(std::move(figure));
  }
  ++epochs_;
}

// With a pipeline of d, the k-th round is chosen with max(0, k - d + 1) rounds fed back.
Round SerialHost::choose(std::uint32_t number) {
  Scheduler& scheduler = schedulers_[number];
  const std::uint64_t d = scheduler.pipeline;
  if (d > 0) feed_back(scheduler, scheduler.chosen - std::min(scheduler.chosen, d - 1));
  Round round = scheduler.schedule->next(scheduler.random);
  check(round, tables_);
  if (is_shared(round)) ++scheduler.chosen;
  if (watcher_) watcher_(round, number);
  return round;
}

void SerialHost::run_owned(const Round& round) {
  for (ShardId s = 0; s < round.owned.size(); ++s) {
    if (!round.owned[s]) continue;
    const SliceId b = *round.owned[s];
    Random random = random_for({job_.seed, kPushSlice, epochs_, s, b});
    const SliceTask task{b, epochs_, rounds_, visits_[b]++, round.last_visits, round.argument, budget_};
    shards_[s]->push(task, *slices_[b], random);
  }
}

void SerialHost::run_shared(const Round& round, std::uint32_t scheduler) {
  refresh(pushed_ - std::min(pushed_, staleness_));
  std::vector<std::vector<double>> sums;
  for (const std::size_t width : part_widths(round, tables_.at(round.table))) sums.emplace_back(width);
  std::map<Key, std::vector<double>> open_sums;
  std::vector<Bytes> notes;
  for (ShardId s = 0; s < shards_.size(); ++s) notes.push_back(push_shared(s, round, sums, open_sums));
  ++pushed_;
  std::vector<Key> keys = round.shared;
  for (auto& [key, sum] : open_sums) {
    keys.push_back(key);
    sums.push_back(std::move(sum));
  }
  commit(round, scheduler, keys, sums, notes);
}

Bytes SerialHost::push_shared(ShardId s, const Round& round, std::vector<std::vector<double>>& sums,
                              std::map<Key, std::vector<double>>& open_sums) {
  const Table& table = tables_.at(round.table);
  const std::vector<double> zeros(table.row_width);
  std::vector<std::vector<double>> parts;
  for (const std::vector<double>& sum : sums) parts.emplace_back(sum.size());
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < round.shared.size(); ++i) {
    const auto row = seen_.find({round.table, round.shared[i]});
    entries.push_back({round.shared[i], row == seen_.end() ? zeros : row->second, parts[i]});
  }
  std::vector<double> numbers(round.open ? table.keys * table.part_width : 0);
  std::vector<std::uint64_t> touched(round.open ? (table.keys + 63) / 64 : 0);
  const OpenParts open_parts(round.open ? table.keys : 0, table.part_width, numbers.data(), touched.data());
  Random random = random_for({job_.seed, kPushShared, epochs_, s, rounds_});
  Writer note;
  shards_[s]->push({epochs_, rounds_, round.table, entries, round.blocks, round.argument, note, open_parts}, random);
  if (!table.single_partition && !note.view().empty())
    throw std::runtime_error("a note, and the table spans partitions");
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (std::size_t j = 0; j < sums[i].size(); ++j) sums[i][j] += parts[i][j];
  for (Key key = 0; key < (round.open ? table.keys : 0); ++key) {
    if ((touched[key / 64] >> key % 64 & 1) == 0) continue;
    const auto part = std::span(numbers).subspan(key * table.part_width, table.part_width);
    const auto [sum, is_new] = open_sums.try_emplace(key, part.begin(), part.end());
    for (std::size_t j = 0; !is_new && j < part.size(); ++j) sum->second[j] += part[j];
  }
  return Bytes::from(note.take());
}

void SerialHost::commit(const Round& round, std::uint32_t scheduler, const std::vector<Key>& keys,
                        const std::vector<std::vector<double>>& sums, const std::vector<Bytes>& notes) {
  const Table& table = tables_[round.table];
  const auto result = std::make_shared<Committed>();
  *result = {rounds_, scheduler, round.table, keys, {}, {}, round.argument, {}};
  std::vector<PullEntry> entries;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    std::vector<double>& value = rows_[{round.table, keys[i]}];
    value.resize(table.row_width);
    result->changes.push_back(value);
    entries.push_back({keys[i], sums[i], value});
  }
  Writer reply;
  PullTask task{rounds_, round.table, entries, {}, round.argument, {}, reply};
  if (table.single_partition) task.blocks = round.blocks, task.notes = notes;
  pull_->pull(task);
  if (!table.single_partition && !reply.view().empty())
    throw std::runtime_error("a reply, and the table spans partitions");
  result->reply = Bytes::from(reply.take());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (std::size_t j = 0; j < table.row_width; ++j)
      result->changes[i][j] = entries[i].value[j] - result->changes[i][j];
    result->values.emplace_back(entries[i].value.begin(), entries[i].value.end());
  }
  to_refresh_.push_back(result);
  schedulers_[scheduler].committed.push_back(result);
}

namespace {

template <typename Committed>
std::vector<Delta> deltas_of(const Committed& committed) {
  std::vector<Delta> deltas;
  for (std::size_t i = 0; i < committed.keys.size(); ++i)
    deltas.push_back({committed.keys[i], committed.values[i], committed.changes[i]});
  return deltas;
}

}  // namespace

// What is seen is as of all these commits before the shards hear of the first.
void SerialHost::refresh(std::uint64_t upto) {
  for (std::uint64_t i = refreshed_; i < upto; ++i) {
    const Committed& one = *to_refresh_[i - refreshed_];
    for (std::size_t k = 0; k < one.keys.size(); ++k) {
      seen_[{one.table, one.keys[k]}] = one.values[k];
      put_into_view(one.table, one.keys[k], one.values[k]);
    }
  }
  for (; refreshed_ < upto; ++refreshed_) {
    const Committed& one = *to_refresh_.front();
    const std::vector<Delta> deltas = tables_[one.table].dense ? std::vector<Delta>() : deltas_of(one);
    for (const auto& shard : shards_) shard->refresh({one.round, one.table, deltas, one.argument, one.reply});
    to_refresh_.pop_front();
  }
}

void SerialHost::feed_back(Scheduler& scheduler, std::uint64_t upto) {
  for (; scheduler.fed_back < upto; ++scheduler.fed_back) {
    const Committed& one = *scheduler.committed.front();
    const std::vector<Delta> deltas = deltas_of(one);
    ChangeNorms norms;
    if (scheduler.schedule->wish() == Feedback::norms)
      for (const Delta& delta : deltas)
        for (const double change : delta.change) norms.add(change);
    const bool all = scheduler.schedule->wish() == Feedback::changes;
    scheduler.schedule->feedback(
        {one.round, one.table, all ? deltas : std::vector<Delta>(), one.argument, one.reply, norms});
    scheduler.committed.pop_front();
  }
}

std::vector<double> SerialHost::evaluate() const {
  std::vector<double> terms(app_->terms().size());
  for (const auto& shard : shards_) shard->evaluate(terms);
  for (SliceId b = 0; b < slices_.size(); ++b) shards_[b % shards_.size()]->evaluate(b, *slices_[b], terms);
  for (const auto& [name, value] : rows_) pull_->evaluate(name.first, name.second, value, terms);
  return terms;
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
  const auto found = rows_.find({table, key});
  return found == rows_.end() ? std::vector<double>(tables_.at(table).row_width) : found->second;
}

SerialHost::Snapshot SerialHost::save() const {
  Snapshot snapshot;
  snapshot.epochs = epochs_;
  snapshot.rounds = rounds_;
  snapshot.done = done_;
  for (const auto& slice : slices_) snapshot.slices.push_back(bytes_of(*slice, &Slice::encode));
  for (const auto& shard : shards_) snapshot.shards.push_back(bytes_of(*shard, &Push::save));
  for (const auto& scheduler : schedulers_)
    snapshot.schedules.push_back(bytes_of(*scheduler.schedule, &Schedule::save));
  if (pull_) snapshot.pull = bytes_of(*pull_, &Pull::save);
  snapshot.rows = rows_;
  return snapshot;
}

void SerialHost::restore(const Snapshot& snapshot) {
  for (std::size_t i = 0; i < schedulers_.size(); ++i)
    read_back(*schedulers_[i].schedule, &Schedule::restore, snapshot.schedules.at(i), "the schedule");
  if (pull_) read_back(*pull_, &Pull::restore, snapshot.pull, "the pull");
  for (SliceId b = 0; b < slices_.size(); ++b) {
    slices_[b] = app_->slice(cut_.slices[b]);
    read_back(*slices_[b], &Slice::decode, snapshot.slices.at(b), "slice " + std::to_string(b));
  }
  for (ShardId s = 0; s < shards_.size(); ++s)
    read_back(*shards_[s], &Push::restore, snapshot.shards.at(s), "shard " + std::to_string(s));
  rows_ = seen_ = snapshot.rows;
  for (const auto& [name, value] : rows_) put_into_view(name.first, name.second, value);
  epochs_ = snapshot.epochs;
  rounds_ = snapshot.rounds;
  done_ = snapshot.done;
}

}  // namespace rota::tests
