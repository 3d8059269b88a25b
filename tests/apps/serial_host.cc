// tests/apps/serial_host.cc
#include "tests/apps/serial_host.h"

#include <initializer_list>
#include <numeric>
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

enum Hook : std::uint64_t { kNext = 1, kPushSlice, kPushShared };

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

}  // namespace

Job make_job(const Plugin& plugin, std::map<std::string, std::string> given, std::vector<std::string> input) {
  std::map<std::string, std::string, std::less<>> values;
  for (const Option& option : plugin.options) values[std::string(option.name)] = option.default_value;
  for (auto& [name, value] : given) values[name] = value;
  Job job;
  job.options = Options(std::move(values));
  job.input = std::move(input);
  return job;
}

SerialHost::SerialHost(const Plugin& plugin, Job job) : plugin_(plugin), job_(std::move(job)) {
  if (plugin.check != nullptr) plugin.check(job_.options);
  tables_ = plugin.tables(job_);
  schedule_ = plugin.schedule(job_);
  if (plugin.pull != nullptr) pull_ = plugin.pull(job_);
  std::vector<ShardId> all(job_.shards);
  std::iota(all.begin(), all.end(), ShardId{0});
  shards_ = plugin.load(job_, all);

  Census census;
  for (const auto& shard : shards_) shard->census(census);
  cut_ = schedule_->cut(census, job_.slices);
  for (const auto& shard : shards_) shard->attach(cut_);
  for (const auto& keys : cut_.slices) slices_.push_back(plugin.slice(job_, keys));
  if (!plugin.starting_pass) epochs_ = 1;
}

void SerialHost::run_epoch() {
  for (bool ended = false; !ended;) {
    Random random = random_for({job_.seed, kNext, rounds_ + 1});
    const Round round = schedule_->next(random);
    ++rounds_;
    run_owned(round);
    if (!round.shared.empty()) run_shared(round);
    ended = round.ends_epoch;
  }
  ++epochs_;
}

void SerialHost::run_owned(const Round& round) {
  for (ShardId s = 0; s < round.owned.size(); ++s) {
    if (!round.owned[s]) continue;
    const SliceId b = *round.owned[s];
    Random random = random_for({job_.seed, kPushSlice, epochs_, s, b});
    shards_[s]->push(b, *slices_[b], epochs_, budget_, random);
  }
}

void SerialHost::run_shared(const Round& round) {
  const Table& table = tables_.at(round.table);
  const std::vector<double> zeros(table.row_width);
  std::vector<std::vector<double>> sums(round.shared.size(), std::vector<double>(table.part_width));
  for (ShardId s = 0; s < shards_.size(); ++s) {
    std::vector<std::vector<double>> parts(round.shared.size(), std::vector<double>(table.part_width));
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < round.shared.size(); ++i) {
      const auto row = rows_.find({round.table, round.shared[i]});
      entries.push_back({round.shared[i], row == rows_.end() ? zeros : row->second, parts[i]});
    }
    Random random = random_for({job_.seed, kPushShared, epochs_, s, rounds_});
    shards_[s]->push({epochs_, rounds_, round.table, entries}, random);
    for (std::size_t i = 0; i < sums.size(); ++i)
      for (std::size_t j = 0; j < sums[i].size(); ++j) sums[i][j] += parts[i][j];
  }
  commit(round, sums);
}

void SerialHost::commit(const Round& round, const std::vector<std::vector<double>>& sums) {
  std::vector<std::vector<double>> changes;
  std::vector<PullEntry> entries;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    std::vector<double>& value = rows_[{round.table, round.shared[i]}];
    value.resize(tables_[round.table].row_width);
    changes.push_back(value);
    entries.push_back({round.shared[i], sums[i], value});
  }
  pull_->pull({rounds_, round.table, entries});
  std::vector<Delta> deltas;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (std::size_t j = 0; j < changes[i].size(); ++j) changes[i][j] = entries[i].value[j] - changes[i][j];
    deltas.push_back({round.table, entries[i].key, entries[i].value, changes[i]});
  }
  for (const auto& shard : shards_) shard->refresh(deltas);
  schedule_->feedback(deltas);
}

std::vector<double> SerialHost::evaluate() const {
  std::vector<double> terms(plugin_.terms(job_).size());
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

std::vector<double> SerialHost::row(TableId table, Key key) const {
  const auto found = rows_.find({table, key});
  return found == rows_.end() ? std::vector<double>(tables_.at(table).row_width) : found->second;
}

SerialHost::Snapshot SerialHost::save() const {
  Snapshot snapshot{epochs_, rounds_, {}, {}, bytes_of(*schedule_, &Schedule::save), rows_};
  for (const auto& slice : slices_) snapshot.slices.push_back(bytes_of(*slice, &Slice::encode));
  for (const auto& shard : shards_) snapshot.shards.push_back(bytes_of(*shard, &Push::save));
  return snapshot;
}

void SerialHost::restore(const Snapshot& snapshot) {
  read_back(*schedule_, &Schedule::restore, snapshot.schedule, "the schedule");
  for (SliceId b = 0; b < slices_.size(); ++b) {
    slices_[b] = plugin_.slice(job_, cut_.slices[b]);
    read_back(*slices_[b], &Slice::decode, snapshot.slices.at(b), "slice " + std::to_string(b));
  }
  for (ShardId s = 0; s < shards_.size(); ++s)
    read_back(*shards_[s], &Push::restore, snapshot.shards.at(s), "shard " + std::to_string(s));
  rows_ = snapshot.rows;
  epochs_ = snapshot.epochs;
  rounds_ = snapshot.rounds;
}

}  // namespace rota::tests
