#include "tests/sim/exchange_plugin.h"

#include <algorithm>
#include <deque>
#include <set>

#include "rota/exchange/dataflows.h"
#include "rota/exchange/exchange_push.h"
#include "tests/sim/commit_log.h"
#include "tests/sim/small_app.h"

namespace rota::sim {

namespace {

constexpr TableId kStates = 0;

// The receivers of each shard are drawn; some shards have no receivers, some no senders.
Dataflow drawn_dataflow(std::uint32_t shards, std::size_t steps, Random& random) {
  Dataflow flow;
  for (std::size_t step = 0; step < steps; ++step) {
    auto& receivers = flow.steps.emplace_back(shards);
    for (ShardId s = 0; s < shards; ++s)
      for (ShardId to = 0; to < shards; ++to)
        if (to != s && random() % 3 == 0) receivers[s].push_back(to);
  }
  return flow;
}

std::vector<Dataflow> all_dataflows(const Job& job) {
  Random random({job.seed, 0, 0, 1});
  return {all_dataflow(job.shards),
          halton_dataflow(job.shards),
          mixing_dataflow(job.shards, static_cast<std::uint32_t>(random.below(mixing_rounds(job.shards)))),
          drawn_dataflow(job.shards, 1, random),
          tree_dataflow(std::max(job.shards, 2U)),
          drawn_dataflow(job.shards, 1 + random.below(4), random)};
}

std::vector<Dataflow> dataflows_of(const Job& job) {
  std::vector<Dataflow> flows = all_dataflows(job);
  if (job.shards > 1) {
    flows.push_back(nested_dataflow(prime_degrees(job.shards)));
    return flows;
  }
  for (Dataflow& flow : flows) flow.steps.assign(flow.steps.size(), std::vector<std::vector<ShardId>>(1));
  return flows;
}

class ExchangeSchedule final : public Schedule {
 public:
  explicit ExchangeSchedule(std::size_t dataflows) : dataflows_(dataflows) {}

  std::uint32_t pipeline(std::uint32_t) const override { return 0; }
  Round next(Random& random) override {
    Round round;
    ++chosen_;
    if (random() % 4 == 0)
      round.open = true;
    else
      round.dataflow = static_cast<std::uint32_t>(random.below(dataflows_));
    round.argument = Argument(number(random()));
    round.ends_epoch = random() % 8 == 0;
    return round;
  }
  std::vector<Figure> figures() override { return {{"rounds", static_cast<double>(chosen_)}}; }
  void state(Archive& list) override { list(chosen_); }

 private:
  std::size_t dataflows_;
  std::uint64_t chosen_ = 0;
};

class RecordingPush final : public SharedPush, public ExchangePush {
 public:
  RecordingPush(const Job& job, ShardId shard)
      : in_place_(job.seed % 2 == 0),
        shard_(shard),
        staleness_(static_cast<std::size_t>(job.options.integer("staleness"))),
        asynchronous_(job.options.flag("asynchronous")),
        flows_(dataflows_of(job)) {}

  std::uint64_t items() const override { return 1; }
  void attach(const Shape& shape) override { view_ = shape.views[kStates]; }

  std::uint64_t push(const SharedTask& task, Random& random) override {
    if (!out_.empty()) complain("a store's round, and not all is gathered");
    begin(task.epoch);
    state_ = mix(state_, random());
    for (const double x : view_.numbers()) state_ = mix(state_, whole(x));
    task.parts[shard_][0] += number(state_) / 16;
    return 1;
  }
  std::uint64_t push(const ExchangeTask& task, Random& random) override {
    const bool lags = flows_[task.dataflow].steps.size() == 1 && lag() > 0;
    const bool others_lag = !out_.empty() && flows_[out_.front().dataflow].steps.size() == 1;
    if (!out_.empty() && (!lags || !others_lag || (!asynchronous_ && out_.size() > staleness_)))
      complain("an exchange began before what is to be gathered first");
    begin(task.epoch);
    out_.push_back({task.round, task.dataflow, 0});
    state_ = mix(mix(state_, random()), whole(task.argument.as<double>()));
    return 1;
  }
  void scatter(const ExchangeTask& task, std::uint32_t step, Outgoing& out) override {
    if (std::ranges::equal(out.receivers(), flows_[task.dataflow].steps[step][shard_]) == false)
      complain("other receivers than the dataflow's");
    for (std::size_t i = 0; i < out.receivers().size(); ++i) {
      if (state_ % 7 == 0) continue;  // an empty message
      Writer message;
      message.put(task.round);
      message.put(step);
      message.put(shard_);
      message.put(out.receivers()[i]);
      message.put(state_ + i);
      out.put(i, Bytes::from(message.take()));
    }
  }
  void gather(const ExchangeTask& task, std::uint32_t step, std::span<const Incoming> in) override {
    const bool lags = flows_[task.dataflow].steps.size() == 1;
    if (asynchronous_ && lags)
      receive_newest(in);
    else
      receive_all(task, step, in);
  }
  void refresh(const Commit& commit) override {
    if (!asynchronous_ && !out_.empty()) complain("a commit while an exchange is not gathered");
    state_ = mix(state_, commit.round);
  }
  void evaluate(Terms) const override {
    if (!out_.empty()) complain("an epoch ended, and not all is gathered");
  }
  void state(Archive& list) override {
    list(state_);
    if (!list.reads()) return;
    out_.clear();
    epoch_ = 0;
  }
  bool restores_in_place() const override { return in_place_; }

 private:
  struct Out {
    RoundId round;
    std::uint32_t dataflow, step;
  };

  std::size_t lag() const { return asynchronous_ ? 1 : staleness_; }
  void begin(Epoch epoch) {
    if (epoch != epoch_ && !out_.empty()) complain("an epoch began, and not all is gathered");
    epoch_ = epoch;
  }
  void receive_all(const ExchangeTask& task, std::uint32_t step, std::span<const Incoming> in) {
    if (out_.empty() || out_.front().round != task.round || out_.front().step != step) {
      complain("gathered in another order");
      return;
    }
    std::vector<ShardId> senders, from;
    const auto& flow = flows_[task.dataflow].steps;
    for (ShardId s = 0; s < flow[step].size(); ++s)
      if (std::ranges::find(flow[step][s], shard_) != flow[step][s].end()) senders.push_back(s);
    for (const Incoming& one : in) from.push_back(one.from);
    if (senders != from) complain("messages of other senders than the dataflow's");
    for (const Incoming& one : in) receive(one, task.round, step);
    if (++out_.front().step == flow.size()) out_.pop_front();
  }
  void receive_newest(std::span<const Incoming> in) {
    std::set<ShardId> from;
    for (const Incoming& one : in) {
      if (!from.insert(one.from).second) complain("two messages of a sender");
      state_ = mix_bytes(state_, one.bytes.view());
    }
    out_.clear();
  }
  void receive(const Incoming& one, RoundId round, std::uint32_t step) {
    state_ = mix_bytes(mix(state_, one.from), one.bytes.view());
    if (one.bytes.empty()) return;
    Reader message(one.bytes.view());
    if (message.get<RoundId>() != round || message.get<std::uint32_t>() != step || message.get<ShardId>() != one.from ||
        message.get<ShardId>() != shard_)
      complain("a message of another round, step or shard");
  }

  bool in_place_;
  ShardId shard_;
  std::size_t staleness_;
  bool asynchronous_;
  std::vector<Dataflow> flows_;
  TableView view_;
  std::uint64_t state_ = 1;
  Epoch epoch_ = 0;
  std::deque<Out> out_;  // pushed, and not gathered
};

// The new rows depend on the sums and on the old rows.
class ExchangePull final : public Pull {
 public:
  void pull(const PullTask& task) override {
    for (const PullEntry& entry : task.entries)
      entry.value[0] = number(mix(whole(entry.value[0]), whole(entry.sum[0] * 16)));
  }
};

class ExchangeApp final : public SmallApp<RecordingPush, ExchangePull> {
 public:
  using SmallApp::SmallApp;
  std::vector<Table> tables(const Facts&) const override {
    return {{.name = "states", .keys = job_.shards, .row_width = 1, .part_width = 1, .dense = true}};
  }
  std::vector<Dataflow> dataflows(const Facts&) const override { return dataflows_of(job_); }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override {
    return std::make_unique<ExchangeSchedule>(dataflows_of(job_).size());
  }
};

constexpr Option kOptions[] = {kStaleness, kAsynchronous};

}  // namespace

const Plugin& exchange_plugin() {
  static const Plugin plugin = small_plugin<ExchangeApp>("exchange", kOptions);
  return plugin;
}

}  // namespace rota::sim
