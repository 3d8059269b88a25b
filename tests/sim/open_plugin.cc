#include "tests/sim/open_plugin.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/seed.h"
#include "rota/dense_slice.h"
#include "tests/sim/commit_log.h"
#include "tests/sim/small_app.h"

namespace rota::sim {

namespace {

constexpr TableId kWide = 0, kSmall = 1, kSparse = 2, kTogether = 3, kTables = 4;  // the first two are dense
constexpr std::uint64_t kWideKeys = 150, kSmallKeys = 20, kSparseKeys = 12, kTogetherKeys = 24;
using Counts = DenseSlice<std::uint64_t>;

std::vector<Table> all_tables() {
  std::vector<Table> all{{"wide", Table::Kind::shared, kWideKeys, 2, 3, 0, false},
                         {"small", Table::Kind::shared, kSmallKeys, 1, 1, 1, true},
                         {"sparse", Table::Kind::shared, kSparseKeys, 1, 1, 0, false},
                         {"together", Table::Kind::shared, kTogetherKeys, 2, 1, 1, true},
                         {"slices", Table::Kind::sliced, 0, 0, 0, 0, false}};
  all[kWide].dense = all[kSmall].dense = true;
  all[kSmall].started = all[kSparse].started = true;
  return all;
}

// Rounds of these have blocks, notes and replies.  So have open rounds, but for the blocks.
bool in_one_partition(TableId table) {
  return table == kSmall || table == kTogether;
}

// Whether they have notes and replies.
bool talks(const Argument& of_round) {
  return of_round.as<std::vector<double>>().at(3) != 0;
}

// The starting value of a row of the tables that have one, as the framework is to make it.
double start_of(Random& random) {
  return number(random());
}
double start_of(std::uint64_t seed, TableId table, Key key) {
  Random random = random_for(seed, Stream::start_row, table, key, 0);
  return start_of(random);
}
CommitLog commits_at_first(std::uint64_t seed) {
  CommitLog log;
  const std::vector<Table> tables = all_tables();
  for (const TableId table : {kSmall, kSparse})
    for (Key key = 0; key < tables[table].keys; ++key) log.begin(table, key, {start_of(seed, table, key)});
  return log;
}

class OpenRoundsSchedule final : public Schedule {
 public:
  OpenRoundsSchedule(const Job& job, Share share)
      : share_(share),
        shards_(job.shards),
        slices_(job.slices),
        pipeline_(static_cast<std::uint32_t>(job.options.integer("pipeline"))),
        wish_(static_cast<Feedback>(job.options.integer("wish"))),
        ends_after_(job.options.flag("ends_after")),
        seen_(commits_at_first(job.seed)) {}

  Cut cut(const Census&, std::uint32_t slices) override {
    Cut cut;
    for (SliceId b = 0; b < slices; ++b) cut.slices.push_back({b});
    return cut;
  }
  std::uint32_t pipeline(std::uint32_t) const override { return pipeline_; }
  Feedback wish() const override { return wish_; }
  Round next(Random& random) override {
    if (fed_back_ != shared_ - std::min<std::uint64_t>(shared_, pipeline_ - 1))
      complain("a round was chosen with other feedback than its pipeline says");
    ++chosen_;
    Round round;
    const std::uint64_t state = mix(seen_.state(), random());
    round.table = static_cast<TableId>(state % kTables);
    round.open = round.table < kSparse && (state >> 8) % 3 != 0;
    if (slices_ > 0 && (state >> 12) % 2 == 0) own(round, random);
    if (!round.open && (round.owned.empty() || (state >> 13) % 2 == 0)) name(round, random);
    // Which rows a push may have parts for: schedulers keep to theirs.
    round.argument = Argument(std::vector{static_cast<double>(share_.count), static_cast<double>(share_.index),
                                          number(state), round.open || in_one_partition(round.table) ? 1.0 : 0.0});
    round.ends_epoch = chosen_ > 2 + (state >> 16) % 6;
    round.ends_job = !ends_after_ && round.ends_epoch && (state >> 20) % 4 == 0;
    if (is_shared(round)) ++shared_;
    return round;
  }
  void feedback(const Commit& commit) override {
    ++fed_back_;
    if (wish_ != Feedback::changes && !commit.deltas.empty()) complain("more feedback than requested");
    if (wish_ != Feedback::norms && commit.norms != ChangeNorms()) complain("norms that were not requested");
    const auto before = [](const Delta& a, const Delta& b) { return a.key < b.key; };
    if (!std::is_sorted(commit.deltas.begin(), commit.deltas.end(), before)) complain("rows in another order");
    seen_.add(commit);
  }
  std::vector<Figure> figures() override {
    if (shared_ != fed_back_) complain("an epoch of the schedule ended before its feedback was in");
    chosen_ = shared_ = fed_back_ = 0;
    return {{"state", number(seen_.state())}};
  }
  bool may_end_job() const override { return ends_after_; }
  bool ends_job() override {
    if (chosen_ != 0) complain("it was asked for the job's end before the epoch's");
    return (seen_.state() >> 24) % 4 == 0;
  }
  void state(Archive& list) override { list(seen_); }

 private:
  void own(Round& round, Random& random) {
    std::vector<SliceId> left(slices_);
    std::iota(left.begin(), left.end(), SliceId{0});
    round.owned.resize(shards_);
    for (auto& slice : round.owned) {
      if (left.empty() || random() % 4 == 0) continue;
      const auto drawn = static_cast<std::ptrdiff_t>(random.below(left.size()));
      slice = left[static_cast<std::size_t>(drawn)];
      left.erase(left.begin() + drawn);
    }
  }
  void name(Round& round, Random& random) {
    const std::uint64_t keys = all_tables()[round.table].keys;
    for (Key key = share_.index; key < keys; key += share_.count)
      if (random() % 3 == 0) round.shared.push_back(key);
    if (round.shared.empty() && round.table != kTogether) round.shared.push_back(share_.index);
    if (in_one_partition(round.table) && random() % 2 == 0)
      for (auto left = static_cast<std::uint32_t>(round.shared.size()); left > 0;) {
        round.blocks.push_back(1 + static_cast<std::uint32_t>(random.below(left)));
        left -= round.blocks.back();
      }
  }

  Share share_;
  std::uint32_t shards_, slices_, pipeline_;
  Feedback wish_;
  bool ends_after_;                                       // the job's end is decided after an epoch, not ahead
  std::uint64_t chosen_ = 0, shared_ = 0, fed_back_ = 0;  // of the epoch
  CommitLog seen_;
};

class OpenPush final : public SlicePush<Counts>, public SharedPush {
 public:
  OpenPush(const Job& job, ShardId shard)
      : seed_(job.seed),
        shard_(shard),
        asynchronous_(job.options.flag("asynchronous")),
        staleness_(static_cast<std::uint64_t>(job.options.integer("staleness"))),
        seen_(commits_at_first(job.seed)) {}

  std::uint64_t items() const override { return 1; }
  void attach(const Shape& shape) override { views_ = {shape.views.begin(), shape.views.end()}; }

  std::uint64_t push(const SliceTask& task, Counts& rows, Random& random) override {
    begin(task.epoch);
    auto row = rows.row(0);
    row[0] = mix(row[0], mix(random(), seen() + task.slice));
    return 1;
  }
  std::uint64_t push(const SharedTask& task, Random& random) override {
    if (!witness()->pushes.emplace(task.round, shard_).second) complain("a shard pushed a round twice");
    begin(task.epoch);
    ++pushed_;
    std::uint64_t state =
        mix(mix(seen(), random()), task.entries.size() + whole(task.argument.as<std::vector<double>>().at(2)));
    for (const Entry& entry : task.entries) {
      const bool right = views_[task.table].keys() > 0
                             ? std::ranges::equal(entry.value, views_[task.table].row(entry.key))
                             : seen_.has(task.table, entry.key, entry.value);
      if (!right) complain("a row is not as of the commits that were seen");
      for (double& part : entry.part) part = uneven(state = mix(state, entry.key));
    }
    const auto count = static_cast<Key>(task.argument.as<std::vector<double>>().at(0)),
               index = static_cast<Key>(task.argument.as<std::vector<double>>().at(1));
    if (task.parts.keys() > 0) make_parts(task.parts, count, index, random, state);
    if (talks(task.argument))
      for (std::uint64_t left = state % 4; left > 0; --left) task.note.put(state = mix(state, left));
    return 1;
  }
  void refresh(const Commit& commit) override {
    if (views_[commit.table].keys() > 0 && !commit.deltas.empty()) complain("deltas of a dense table");
    if (commit.round <= last_) complain("commits in another order");
    if (commit.reply.empty() == talks(commit.argument)) complain("a reply is missing, or not the round's");
    ++refreshed_;
    last_ = commit.round;
    seen_.add(commit);
  }
  void evaluate(Terms) const override { seen(); }
  void state(Archive& list) override {
    std::uint64_t now = list.reads() ? 0 : seen();
    list(last_, now, seen_);
    if (!list.reads()) return;
    epoch_ = 0;
    pushed_ = refreshed_ = 0;
  }
  bool restores_in_place() const override { return seed_ % 2 == 0; }

 private:
  // Numbers whose sums are rounded.
  static double uneven(std::uint64_t state) {
    return number(state) / 3 * std::bit_cast<double>((1023 + state % 50) << 52);
  }
  void begin(Epoch epoch) {
    if (epoch != epoch_) {
      if (pushed_ != refreshed_) complain("an epoch began before all commits of the one before were seen");
      epoch_ = epoch;
      pushed_ = refreshed_ = 0;
    }
    if (!asynchronous_ && refreshed_ != pushed_ - std::min(pushed_, staleness_))
      complain("a push saw other commits than its staleness says");
  }
  // A hash of the views, which must be as committed by the rounds up to the last one.
  std::uint64_t seen() const {
    std::uint64_t state = seen_.state();
    for (const TableId table : {kWide, kSmall}) {
      std::vector<double> start(views_[table].width());
      for (Key key = 0; key < views_[table].keys(); ++key) {
        if (table == kSmall) start[0] = start_of(seed_, table, key);
        const auto found = witness()->committed.find({table, key});
        const std::vector<double>* expected = &start;
        if (found != witness()->committed.end()) {
          const auto after = found->second.upper_bound(last_);
          if (after != found->second.begin()) expected = &std::prev(after)->second;
        }
        if (!std::ranges::equal(views_[table].row(key), *expected)) complain("a view is not as of the commits seen");
      }
      for (const double x : views_[table].numbers()) state = mix(state, std::bit_cast<std::uint64_t>(x));
    }
    return state;
  }
  // For no row, a run of them, some or all; some are asked for twice.
  void make_parts(const OpenParts& parts, Key count, Key index, Random& random, std::uint64_t& state) const {
    const auto touch = [&](Key key) {
      if (key >= parts.keys() || key % count != index) return;
      for (double& x : parts[key]) x += uneven(state = mix(state, key));
    };
    const Key first = random.below(parts.keys()), length = random.below(parts.keys());
    switch (random() % 4) {
      case 0:
        break;
      case 1:
        for (Key key = first; key < first + length; ++key) touch(key);
        break;
      case 2:
        for (Key left = length; left > 0; --left) touch(random.below(parts.keys()));
        break;
      default:
        for (Key key = parts.keys(); key-- > 0;) touch(key);
    }
  }

  std::uint64_t seed_;
  ShardId shard_;
  bool asynchronous_;
  std::uint64_t staleness_;
  std::vector<TableView> views_;
  RoundId last_ = 0;  // whose commit it has received
  Epoch epoch_ = 0;
  std::uint64_t pushed_ = 0, refreshed_ = 0;  // of the epoch
  CommitLog seen_;
};

class OpenPull final : public Pull {
 public:
  void pull(const PullTask& task) override {
    const auto before = [](const PullEntry& a, const PullEntry& b) { return a.key <= b.key; };
    if (!std::is_sorted(task.entries.begin(), task.entries.end(), before)) complain("rows in another order");
    state_ = mix(state_, task.entries.size());
    for (const Bytes& note : task.notes) state_ = mix_bytes(state_, note.view());
    for (const std::uint32_t size : task.blocks) state_ = mix(state_, size);
    for (const PullEntry& entry : task.entries) {
      std::uint64_t state = in_one_partition(task.table) ? state_ : 1;
      for (const double sum : entry.sum) state = mix(state, std::bit_cast<std::uint64_t>(sum));
      for (double& value : entry.value) value = number(state = mix(state, whole(value)));
      if (task.table >= kSparse) continue;
      const std::vector<double> row(entry.value.begin(), entry.value.end());
      const auto [old, is_new] = witness()->committed[{task.table, entry.key}].emplace(task.round, row);
      if (!is_new && old->second != row) complain("a round that is replayed commits other values");
    }
    if (!task.notes.empty())
      for (std::uint64_t left = 1 + state_ % 3; left > 0; --left) task.reply.put(mix(state_, left));
  }
  void state(Archive& list) override { list(state_); }

 private:
  std::uint64_t state_ = 7;
};

class OpenApp final : public SmallApp<OpenPush, OpenPull> {
 public:
  using SmallApp::SmallApp;
  std::vector<Table> tables(const Facts&) const override { return all_tables(); }
  void start_row(const Facts&, TableId, Key, std::span<double> row, Random& random) const override {
    row[0] = start_of(random);
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share share) const override {
    return std::make_unique<OpenRoundsSchedule>(job_, share);
  }
  std::unique_ptr<Slice> slice(std::span<const Key> keys) const override {
    return std::make_unique<Counts>(keys.size(), 1);
  }
};

constexpr Option kOptions[] = {kPipeline,
                               kStaleness,
                               kWish,
                               kAsynchronous,
                               {.name = "ends_after", .kind = Option::Kind::flag, .default_value = "false"}};

}  // namespace

const Plugin& open_plugin() {
  static const Plugin plugin = [] {
    Plugin made = small_plugin<OpenApp>("open", kOptions);
    made.sliced = true;
    return made;
  }();
  return plugin;
}

}  // namespace rota::sim
