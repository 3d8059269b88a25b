#include "tests/sim/shared_rounds_plugin.h"

#include <algorithm>

#include "tests/sim/commit_log.h"
#include "tests/sim/small_app.h"

namespace rota::sim {

namespace {

constexpr TableId kTogether = 0, kApart = 1;
constexpr std::uint64_t kKeys = 24;

class SharedRoundsSchedule final : public Schedule {
 public:
  SharedRoundsSchedule(const Job& job, Share share)
      : share_(share),
        pipeline_(static_cast<std::uint32_t>(job.options.integer("pipeline"))),
        wish_(static_cast<Feedback>(job.options.integer("wish"))),
        ends_after_(job.options.flag("ends_after")) {}

  std::uint32_t pipeline(std::uint32_t) const override { return pipeline_; }
  Round next(Random& random) override {
    if (fed_back_ != chosen_ - std::min<std::uint64_t>(chosen_, pipeline_ - 1))
      complain("a round was chosen with other feedback than its pipeline says");
    ++chosen_;
    Round round;
    const std::uint64_t state = mix(seen_.state(), random());
    round.table = state % 3 == 0 ? kApart : kTogether;
    for (Key key = share_.index; key < kKeys; key += share_.count)
      if (random() % 3 == 0) round.shared.push_back(key);
    if (round.table == kApart && round.shared.empty()) round.shared.push_back(share_.index);
    if (round.table == kTogether && state % 2 == 0)
      for (auto left = static_cast<std::uint32_t>(round.shared.size()); left > 0;) {
        round.blocks.push_back(1 + static_cast<std::uint32_t>(random.below(left)));
        left -= round.blocks.back();
      }
    round.argument.assign(state % 4, number(state));
    round.ends_epoch = chosen_ > 3 + (state >> 8) % 5;
    round.ends_job = !ends_after_ && round.ends_epoch && (state >> 16) % 4 == 0;
    return round;
  }
  Feedback wish() const override { return wish_; }
  void feedback(const Commit& commit) override {
    ++fed_back_;
    if (wish_ != Feedback::changes && !commit.deltas.empty()) complain("more feedback than requested");
    if (wish_ != Feedback::norms && commit.norms != ChangeNorms()) complain("norms that were not requested");
    seen_.add(commit);
  }
  std::vector<Figure> figures() override {
    if (chosen_ != fed_back_) complain("an epoch of the schedule ended before its feedback was in");
    chosen_ = fed_back_ = 0;
    return {{"state", number(seen_.state())}};
  }
  bool may_end_job() const override { return ends_after_; }
  bool ends_job() override {
    if (chosen_ != 0) complain("it was asked for the job's end before the epoch's");
    return (seen_.state() >> 24) % 4 == 0;
  }
  void save(Writer& out) const override { seen_.save(out); }
  void restore(Reader& in) override { seen_.restore(in); }

 private:
  Share share_;
  std::uint32_t pipeline_;
  Feedback wish_;
  bool ends_after_;                          // the job's end is decided after an epoch, not ahead
  std::uint64_t chosen_ = 0, fed_back_ = 0;  // of the epoch
  CommitLog seen_;
};

class SharedRoundsPush final : public Push {
 public:
  SharedRoundsPush(const Job& job, ShardId shard)
      : in_place_(job.seed % 2 == 0),
        shard_(shard),
        staleness_(static_cast<std::uint64_t>(job.options.integer("staleness"))) {}

  std::uint64_t items() const override { return 1; }
  std::uint64_t push(const SharedTask& task, Random& random) override {
    if (!witness()->pushes.emplace(task.round, shard_).second) complain("a shard pushed a round twice");
    if (task.epoch != epoch_) {
      if (pushed_ != refreshed_) complain("an epoch began before all commits of the one before were seen");
      epoch_ = task.epoch;
      pushed_ = refreshed_ = 0;
    }
    if (refreshed_ != pushed_ - std::min(pushed_, staleness_))
      complain("a push saw other commits than its staleness says");
    ++pushed_;
    std::uint64_t state = mix(seen_.state(), random());
    for (const double x : task.argument) state = mix(state, whole(x));
    for (const Entry& entry : task.entries) {
      if (!seen_.has(task.table, entry.key, entry.value)) complain("a row is not as of the commits that were seen");
      for (double& part : entry.part) part = number(state = mix(state, entry.key)) / 256;
    }
    if (task.table == kTogether)
      for (std::uint64_t left = state % 5; left > 0; --left) task.note.put(state = mix(state, left));
    return 1;
  }
  void refresh(const Commit& commit) override {
    ++refreshed_;
    seen_.add(commit);
  }
  void save(Writer& out) const override { seen_.save(out); }
  void restore(Reader& in) override {
    seen_.restore(in);
    epoch_ = 0;
    pushed_ = refreshed_ = 0;
  }
  bool restores_in_place() const override { return in_place_; }

 private:
  bool in_place_;
  ShardId shard_;
  std::uint64_t staleness_;
  Epoch epoch_ = 0;
  std::uint64_t pushed_ = 0, refreshed_ = 0;  // of the epoch
  CommitLog seen_;
};

class SharedRoundsPull final : public Pull {
 public:
  void pull(const PullTask& task) override {
    if (task.table == kTogether) {
      state_ = mix(state_, task.entries.size());
      for (const Bytes& note : task.notes) state_ = mix_bytes(state_, note.view());
      for (const std::uint32_t size : task.blocks) state_ = mix(state_, size);
    }
    for (const PullEntry& entry : task.entries) {
      std::uint64_t state = task.table == kTogether ? state_ : 1;
      for (const double sum : entry.sum) state = mix(state, static_cast<std::uint64_t>(sum * 256));
      for (const double x : task.argument) state = mix(state, whole(x));
      for (double& value : entry.value) value = number(state = mix(state, whole(value)));
    }
    if (task.table == kTogether)
      for (std::uint64_t left = state_ % 3; left > 0; --left) task.reply.put(mix(state_, left));
  }
  void save(Writer& out) const override { out.put(state_); }
  void restore(Reader& in) override { state_ = in.get<std::uint64_t>(); }

 private:
  std::uint64_t state_ = 7;
};

class SharedRoundsApp final : public SmallApp<SharedRoundsPush, SharedRoundsPull> {
 public:
  using SmallApp::SmallApp;
  std::vector<Table> tables(const Facts&) const override {
    return {{"together", Table::Kind::shared, kKeys, 2, 1, 1, true},
            {"apart", Table::Kind::shared, kKeys, 1, 1, 0, false}};
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share share) const override {
    return std::make_unique<SharedRoundsSchedule>(job_, share);
  }
};

constexpr Option kOptions[] = {
    kPipeline, kStaleness, kWish, {.name = "ends_after", .kind = Option::Kind::flag, .default_value = "false"}};

}  // namespace

const Plugin& shared_rounds_plugin() {
  static const Plugin plugin = small_plugin<SharedRoundsApp>("rows", kOptions);
  return plugin;
}

}  // namespace rota::sim
