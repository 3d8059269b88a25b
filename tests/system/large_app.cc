// tests/system/large_app.cc -- an app of large data: options give the sizes of one slice, of the state of some shards
// and of a shared table, and every hook checks its data.
#include <rota/plugin.h>

#include <array>
#include <stdexcept>
#include <string>

namespace {

using namespace rota;

constexpr std::uint32_t kWidth = 16384;  // doubles in a row of the table: 128 KiB
constexpr std::size_t kNumbersInMb = (std::size_t{1} << 20) / sizeof(std::uint64_t);
constexpr std::size_t kRowsInMb = (std::size_t{1} << 20) / (kWidth * sizeof(double));
constexpr TableId kTable = 0;

std::uint64_t mix(std::uint64_t state, std::uint64_t in) {
  state = (state ^ in) * 0x9e3779b97f4a7c15U;
  return state ^ (state >> 29);
}

// Numbers: the first counts the changes; all others follow from it and a name.
class Numbers {
 public:
  Numbers(std::uint64_t name, std::size_t size) : name_(name), size_(size) {}

  void change() {
    if (all_.empty()) all_.resize(size_);
    check();
    ++all_[0];
    for (std::size_t i = 1; i < size_; i += kStride) all_[i] = expected(i);
  }
  void check() const {
    for (std::size_t i = 1; i < all_.size(); i += kStride)
      if (all_[i] != (all_[0] == 0 ? 0 : expected(i))) throw std::runtime_error("numbers are not as they were made");
  }
  std::uint64_t changes() const { return all_.empty() ? 0 : all_[0]; }
  void write(Writer& out) const {
    out.reserve(sizeof(std::uint64_t) * (all_.size() + 2));
    out.put_all(std::span<const std::uint64_t>(all_));
  }
  void read(Reader& in) {
    const std::size_t size = in.get_count(sizeof(std::uint64_t));
    if (size != 0 && size != size_) in.fail();
    const auto bytes = in.get_bytes(size * sizeof(std::uint64_t));
    all_.resize(bytes.size() / sizeof(std::uint64_t));
    if (!bytes.empty()) std::memcpy(all_.data(), bytes.data(), bytes.size());
  }

 private:
  // One number in 256 bytes is set: a change is fast, and a lost or misplaced piece is still detected.
  static constexpr std::size_t kStride = 32;
  std::uint64_t expected(std::size_t i) const { return mix(name_, mix(i, all_[0])); }

  std::uint64_t name_;
  std::size_t size_;
  std::vector<std::uint64_t> all_;  // nothing until they are first changed or read
};

class LargeSlice final : public Slice {
 public:
  LargeSlice(Key key, std::size_t size) : numbers(key, size) {}
  void encode(Writer& out) const override { numbers.write(out); }
  void decode(Reader& in) override { numbers.read(in); }
  Numbers numbers;
};

// Slices rotate, and then the rows of the table have their rounds.
class LargeSchedule final : public Schedule {
 public:
  explicit LargeSchedule(const Job& job)
      : shards_(job.shards),
        slices_(job.slices),
        rows_(static_cast<Key>(job.options.integer("table_mb")) * kRowsInMb),
        in_round_(static_cast<Key>(job.options.integer("round_mb")) * kRowsInMb) {}

  Cut cut(const Census&, std::uint32_t slices) override {
    Cut cut;
    for (Key key = 0; key < slices; ++key) cut.slices.push_back({key});
    return cut;
  }
  std::uint32_t pipeline(std::uint32_t) const override { return 0; }
  Round next(Random&) override {
    Round round;
    if (step_ < slices_) {
      for (ShardId s = 0; s < shards_; ++s) round.owned.emplace_back((slices_ / shards_ * s + step_) % slices_);
      ++step_;
    } else {
      round.table = kTable;
      for (; row_ < rows_ && round.shared.size() < in_round_; ++row_) round.shared.push_back(row_);
    }
    round.ends_epoch = step_ == slices_ && row_ == rows_;
    if (round.ends_epoch) step_ = 0, row_ = 0;
    return round;
  }

 private:
  std::uint32_t shards_, slices_, step_ = 0;
  Key rows_, in_round_, row_ = 0;
};

class LargePush final : public SlicePush<LargeSlice>, public SharedPush {
 public:
  LargePush(const Job& job, ShardId shard)
      : job_(job), shard_(shard), state_(1000 + shard, size(job, shard < job.options.integer("large_shards"))) {}

  std::uint64_t items() const override { return 1; }
  void census(Census& census) const override { census.resize(job_.slices, 1); }
  std::uint64_t push(const SliceTask&, LargeSlice& slice, Random&) override {
    slice.numbers.change();
    if (visits_++ % job_.slices == 0) state_.change();
    return 1;
  }
  std::uint64_t push(const SharedTask& task, Random&) override {
    for (const Entry& entry : task.entries) {
      // In every epoch before this one every shard has added its share.
      const double before = static_cast<double>(task.epoch - 1) * job_.shards;
      for (std::size_t i = 0; i < kWidth; ++i) {
        const auto share = static_cast<double>((entry.key + i) % 97);
        if (entry.value[i] != before * share) throw std::runtime_error("a row is not as it was committed");
        entry.part[i] = share;
      }
    }
    return 0;
  }
  void evaluate(Terms terms) const override { terms["changes"] += static_cast<double>(state_.changes()); }
  void evaluate_slice(SliceId, const LargeSlice& slice, Terms terms) const override {
    terms["changes"] += static_cast<double>(slice.numbers.changes());
  }
  void state(Archive& list) override { list.reads() ? restore(*list.reader()) : save(*list.writer()); }
  void save(Writer& out) const {
    state_.write(out);
    out.put(visits_);
  }
  void restore(Reader& in) {
    state_.read(in);
    visits_ = in.get<std::uint64_t>();
  }

  static std::size_t size(const Job& job, bool large) {
    return 2 + (large ? static_cast<std::size_t>(job.options.integer("state_mb")) * kNumbersInMb : 0);
  }

 private:
  const Job job_;
  ShardId shard_;
  Numbers state_;
  std::uint64_t visits_ = 0;
};

constexpr std::array kOptions = {
    Option{"slice_mb", Option::Kind::integer, "0", "MB", "Size of slice 0.", 0, 65536},
    Option{"state_mb", Option::Kind::integer, "0", "MB", "Size of a large shard's state.", 0, 65536},
    Option{"large_shards", Option::Kind::integer, "1", "", "How many shards, from the first, have such a state.", 0},
    Option{"table_mb", Option::Kind::integer, "0", "MB", "Size of the shared table.", 0, 65536},
    Option{"round_mb", Option::Kind::integer, "4", "MB", "Rows of the table in one round.", 1, 4096},
};

class LargeApp final : public App {
 public:
  explicit LargeApp(const Job& job) : job_(job) {}
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    std::vector<std::unique_ptr<Push>> all;
    for (const ShardId shard : hosted) all.push_back(std::make_unique<LargePush>(job_, shard));
    return all;
  }
  std::vector<Table> tables(const Facts&) const override {
    const Key rows = static_cast<Key>(job_.options.integer("table_mb")) * kRowsInMb;
    return {{"table", Table::Kind::shared, rows, kWidth, kWidth}, {"slices", Table::Kind::sliced, job_.slices, 0, 0}};
  }
  std::vector<Term> terms() const override { return {{"changes", Term::Kind::report}}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<LargeSchedule>(job_);
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<AddPull>(); }
  std::unique_ptr<Slice> slice(std::span<const Key> keys) const override {
    const std::size_t large = static_cast<std::size_t>(job_.options.integer("slice_mb")) * kNumbersInMb;
    return std::make_unique<LargeSlice>(keys.front(), 2 + (keys.front() == 0 ? large : 0));
  }

 private:
  Job job_;
};

Plugin make() {
  Plugin plugin;
  plugin.name = "large";
  plugin.summary = "Nothing but size, for tests.";
  plugin.items = "shards";
  plugin.options = kOptions;
  plugin.sliced = true;
  plugin.app = [](const Job& job) -> std::unique_ptr<App> { return std::make_unique<LargeApp>(job); };
  return plugin;
}

}  // namespace

ROTA_PLUGIN(make);
