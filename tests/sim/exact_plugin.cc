#include "tests/sim/exact_plugin.h"

#include <algorithm>

#include "core/base/seed.h"
#include "rota/dense_slice.h"
#include "rota/schedules/rotation.h"
#include "tests/sim/commit_log.h"
#include "tests/sim/small_app.h"

namespace rota::sim {

namespace {

using Counts = DenseSlice<std::uint64_t>;
constexpr std::size_t kMix = 0, kItems = 1;
constexpr Key kTotal = 0, kFirstReplicated = 1;
constexpr std::uint64_t kKeys = 40;

// No sum of these is the same in another order.
double third_of(ShardId shard) {
  return (shard + 1) / 3.0;
}

// Of the row of totals; the same in all processes.
double start_of_total(Random& random) {
  return static_cast<double>(random() & kMask);
}

class ExactSchedule final : public RotationSchedule {
 public:
  explicit ExactSchedule(const Job& job) : RotationSchedule(job, {0, {kTotal}, kFirstReplicated}) {}
};

class ExactPush final : public SlicePush<Counts>, public SharedPush {
 public:
  ExactPush(const Job& job, ShardId shard) : seed_(job.seed), shard_(shard), shards_(job.shards) {
    const bool heavy = job.options.flag("heavy");
    for (Key key = 0; key < kKeys; ++key)
      items_.push_back(1 + (key * 7 + shard * 13) % 5 + (heavy && key == 3 ? 500 : 0));
  }

  std::uint64_t items() const override {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : items_) sum += n;
    return sum;
  }
  void facts(Facts& facts) const override {
    facts.add("thirds", third_of(shard_));
    facts.largest("last", shard_);
    facts.largest("keys", kKeys);
  }
  void census(Census& census) const override {
    census.resize(std::max<std::size_t>(census.size(), kKeys));
    for (Key key = 0; key < kKeys; ++key) census[key] += items_[key];
  }
  void attach(const Shape& shape) override { cut_ = shape.cut; }

  void start(Random& own, Random& common) override {
    change_ = mix(own(), common());
    Random random = random_for(seed_, Stream::start_row, 0, kTotal, 0);
    last_total_ = start_of_total(random);
    total_ = static_cast<std::uint64_t>(last_total_);
  }
  std::uint64_t push(const SliceTask& task, Counts& counts, Random& random) override {
    const Epoch epoch = task.epoch;
    const auto& keys = cut_.slices.at(task.slice);
    if (!witness()->visits.emplace(epoch, shard_, task.slice).second) complain("a slice was visited twice");
    if (task.visit >= shards_ || task.last_visit != (task.visit + 1 == shards_)) complain("a visit has a wrong number");
    for (std::size_t i = 0; i < keys.size(); ++i) {
      auto row = counts.row(i);
      if (epoch == 0) row[kItems] += items_[keys[i]];
      row[kMix] = mix(row[kMix], mix(random(), shard_ + (std::uint64_t{epoch} << 20)) ^ total_);
      change_ = mix(change_, row[kMix]);
    }
    visits_ += keys.size();
    return keys.size();
  }
  std::uint64_t push(const SharedTask& task, Random& random) override {
    if (!witness()->pushes.emplace(task.round, shard_).second) complain("a shard pushed a round twice");
    for (const Entry& entry : task.entries) {
      if (entry.key == kTotal && entry.value[0] != static_cast<double>(total_ & kMask))
        complain("a shared row is not as last committed");
      const std::uint64_t change = mix(change_, random() ^ entry.key);
      entry.part[0] = static_cast<double>(change & (kMask >> 8));
      const bool replicated = entry.key >= kFirstReplicated;
      entry.part[1] = replicated && task.epoch == 0 ? static_cast<double>(items_[entry.key - kFirstReplicated]) : 0;
    }
    change_ = 0;
    return task.entries.size();
  }
  void refresh(const Commit& commit) override {
    for (const Delta& delta : commit.deltas) {
      if (delta.key == kTotal) total_ = static_cast<std::uint64_t>(delta.value[0]);
      if (delta.value[0] - delta.change[0] != (delta.key == kTotal ? last_total_ : delta.value[0] - delta.change[0]))
        complain("a change does not follow from the row before it");
      if (delta.key == kTotal) last_total_ = delta.value[0];
    }
  }
  void evaluate(Terms terms) const override {
    terms["visits"] += static_cast<double>(visits_);
    terms["items"] -= static_cast<double>(cut_.slices.size());  // a visit for each slice adds one
  }
  void evaluate_visit(SliceId slice, const Counts& counts, Terms terms) const override {
    std::uint64_t seen = mix(slice, shard_ ^ total_);
    for (std::size_t i = 0; i < counts.rows(); ++i) seen = mix(seen, counts.row(i)[kMix]);
    terms["items"] += 1;
    terms["luck"] += static_cast<double>(seen % 997) / 3;
  }
  void evaluate_slice(SliceId, const Counts& counts, Terms terms) const override {
    for (std::size_t i = 0; i < counts.rows(); ++i) terms["items"] += static_cast<double>(counts.row(i)[kItems]);
  }
  void state(Archive& list) override {
    list(total_, last_total_, visits_);
    if (list.reads()) change_ = 0;
  }
  bool restores_in_place() const override { return seed_ % 2 == 0; }

 private:
  std::uint64_t seed_;
  ShardId shard_;
  std::uint32_t shards_;
  std::vector<std::uint64_t> items_;  // by key
  Cut cut_;
  std::uint64_t total_ = 0, change_ = 0, visits_ = 0;
  double last_total_ = 0;
};

// The sums are wrapped, so that they stay exact for any number of epochs.
class ExactPull final : public Pull {
 public:
  void pull(const PullTask& task) override {
    for (const PullEntry& entry : task.entries) {
      const auto before = static_cast<std::uint64_t>(entry.value[0]), sum = static_cast<std::uint64_t>(entry.sum[0]);
      entry.value[0] = static_cast<double>(mix(before, sum) & kMask);
      entry.value[1] += entry.sum[1];
    }
  }
  void evaluate(TableId, Key, std::span<const double> value, Terms terms) const override { terms["items"] += value[1]; }
};

class ExactApp final : public SmallApp<ExactPush, ExactPull> {
 public:
  using SmallApp::SmallApp;
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random& random) override {
    has_first_ = std::find(hosted.begin(), hosted.end(), ShardId{0}) != hosted.end();
    return SmallApp::load(hosted, random);
  }
  std::vector<Table> tables(const Facts& facts) const override {
    check_facts(facts);
    return {{.name = "sums",
             .keys = kFirstReplicated + facts.count("keys"),
             .row_width = 2,
             .part_width = 2,
             .started = true},
            {.name = "counts", .kind = Table::Kind::sliced, .keys = kKeys}};
  }
  void start_row(const Facts&, TableId, Key key, std::span<double> row, Random& random) const override {
    if (key == kTotal) row[0] = start_of_total(random);
  }
  std::vector<Term> terms() const override {
    return {{"visits", Term::Kind::objective}, {"items", Term::Kind::conserved}, {"luck", Term::Kind::report}};
  }
  // Nearly random from epoch to epoch.
  std::vector<Score> scores() const override {
    return {{.name = "valid", .term = "luck", .scale = Score::Scale::root_mean, .held_out = true}};
  }
  bool evaluating_pass() const override { return true; }
  std::unique_ptr<Schedule> schedule(const Facts& facts, Share) const override {
    check_facts(facts);
    return std::make_unique<ExactSchedule>(job_);
  }
  std::unique_ptr<Pull> pull(const Facts& facts) const override {
    check_facts(facts);
    return std::make_unique<ExactPull>();
  }
  std::unique_ptr<Slice> slice(std::span<const Key> keys) const override {
    return std::make_unique<Counts>(keys.size(), 2);
  }
  void start(const Facts&, SliceId, Slice& slice, std::span<const Key>, Random& random) const override {
    auto& counts = dynamic_cast<Counts&>(slice);
    for (std::size_t i = 0; i < counts.rows(); ++i) counts.row(i)[kMix] = random();
  }
  // As in an app that keeps names only where they are needed.
  void save_common(Writer& out) const override { out.put(has_first_ ? job_.seed : std::uint64_t{0}); }

 private:
  // All roles must have the same facts, for any placement of the shards.
  void check_facts(const Facts& facts) const {
    double thirds = 0;
    for (ShardId shard = 0; shard < job_.shards; ++shard) thirds += third_of(shard);
    if (facts.number("thirds") != thirds || facts.count("last") != job_.shards - 1)
      throw std::logic_error("wrong facts");
  }
  bool has_first_ = false;  // it has read shard 0
};

constexpr Option kOptions[] = {{.name = "heavy", .kind = Option::Kind::flag, .default_value = "false"}};

}  // namespace

Witness*& witness() {
  static Witness* current = nullptr;
  return current;
}

const Plugin& exact_plugin() {
  static const Plugin plugin = [] {
    Plugin made = small_plugin<ExactApp>("exact", kOptions);
    made.starting_pass = made.sliced = true;
    return made;
  }();
  return plugin;
}

}  // namespace rota::sim
