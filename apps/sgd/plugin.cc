// apps/sgd/plugin.cc -- linear models by stochastic gradient descent.  README.md has the mathematics.
#include "rota/plugin.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "apps/linear_models/linear_app.h"
#include "apps/linear_models/local_pass.h"
#include "apps/sgd/pull.h"
#include "apps/sgd/settings.h"
#include "apps/sgd/steps.h"
#include "rota/exchange/dataflows.h"
#include "rota/exchange/exchange_push.h"
#include "rota/exchange/exchange_schedule.h"
#include "rota/exchange/replica_exchange.h"
#include "rota/io/input_size.h"

namespace rota::sgd {
namespace {

constexpr double kMostLoss = 1000;  // of a job's last epoch, relative to that of zero weights

// Open rounds: each shard makes steps for the features of its rows.
class SgdSchedule final : public Schedule {
 public:
  SgdSchedule(const RoundOfSteps& first, std::uint64_t epochs) : next_(first), end_(first.rounds * epochs) {}

  std::uint32_t pipeline(std::uint32_t) const override { return 0; }  // no choice depends on feedback
  Round next(Random&) override {
    Round round;
    round.table = linear::kWeights;
    round.open = true;
    round.argument = Argument(next_);
    ++next_.number;
    round.ends_epoch = next_.at() == 0;
    round.ends_job = next_.number == end_;
    return round;
  }

  void state(Archive& list) override { list(next_.number); }

 private:
  RoundOfSteps next_;
  std::uint64_t end_;  // of the job
};

// One shard: its rows, in an order of its own in each epoch.
class SgdPush : public linear::RowsPush {
 public:
  SgdPush(const Settings& settings, linear::ShardData data)
      : RowsPush(settings, std::move(data)),
        settings_(settings),
        steps_(settings.steps(all_->slopes, all_->steps)),
        pass_(settings, *all_) {}

  std::uint64_t push(const SharedTask& task, Random& random) override {
    const std::span<const double> table = weights_.numbers();
    const std::uint64_t rows = take_steps(task.epoch, task.argument.as<RoundOfSteps>(), table, random);
    for (const std::uint32_t key : pass_.touched()) make_part(key, table, task.parts[key]);
    return rows;
  }
  void evaluate(Terms terms) const override {
    RowsPush::evaluate(terms);
    terms["progressive"] += progressive_loss_;
    terms["progressive_rows"] += static_cast<double>(progressive_rows_);
  }

  // Of the epoch: the losses of its rows, each before its own step.
  void state(Archive& list) override { list(epoch_, progressive_loss_, progressive_rows_); }

 protected:
  // Makes the steps of a round, on weights that begin as those of `table`.  Returns its rows.
  std::uint64_t take_steps(Epoch epoch, const RoundOfSteps& round, std::span<const double> table, Random& random) {
    if (epoch != epoch_) begin_epoch(epoch);
    const std::uint64_t rows = visit(round, table, random);
    progressive_rows_ += rows;
    if (!std::isfinite(progressive_loss_))
      throw UsageError("the weights have overflowed: use a smaller --learning_rate");
    if (epoch == settings_.epochs && round.at() + 1 == round.rounds) require_learning();
    return rows;
  }
  // The weights after that.
  const linear::LocalPass& pass() const { return pass_; }
  // The part of a row of the table: how far the steps moved it.
  void make_part(std::uint32_t key, std::span<const double> table, std::span<double> part) const {
    const std::span<const double> state = pass_.state(key);
    make_part(key, state, table.subspan(key * state.size(), state.size()), part);
  }
  void make_part(std::size_t key, std::span<const double> after, std::span<const double> before,
                 std::span<double> part) const {
    for (std::size_t i = 0; i < after.size(); ++i) part[i] = after[i] - before[i];
    if (settings_.optimizer == Optimizer::ftrl)
      for (std::size_t i = 0; i < after.size(); i += settings_.state_width) part[i] = all_->scales[key].step;
    part.back() = 1;
  }

  const Settings settings_;
  const StepSettings steps_;

 private:
  // The order is the same in a resumed job, so it does not depend on the previous order.
  void begin_epoch(Epoch epoch) {
    epoch_ = epoch;
    progressive_loss_ = 0;
    progressive_rows_ = 0;
    loss_of_none_ = loss_of_none(training_);
    Random random = linear::random_of_orders(all_->seed, shard_, epoch);
    order_.clear();
    linear::append_pass(training_.rows.size(), random, order_);
  }
  // Visits the rows of a round, and returns their number.
  std::uint64_t visit(const RoundOfSteps& round, std::span<const double> table, Random& random) {
    if (!stream_) {
      const std::size_t first = order_.size() * round.at() / round.rounds;
      const std::size_t end = order_.size() * (round.at() + 1) / round.rounds;
      run(training_, std::span(order_).subspan(first, end - first), round, table,
          round.rounds == 1 ? std::span(keys_) : std::span<const std::uint32_t>());
      return end - first;
    }
    if (!ahead_) ahead_.emplace(*stream_, round.rounds);
    const linear::ShardRows rows = ahead_->next();
    order_ = linear::shuffled(rows.rows.size(), random);
    loss_of_none_ += loss_of_none(rows);
    run(rows, order_, round, table, {});
    return order_.size();
  }
  void run(const linear::ShardRows& rows, std::span<const std::uint32_t> order, const RoundOfSteps& round,
           std::span<const double> table, std::span<const std::uint32_t> keys) {
    const double seen = round.seen();
    const auto run_by = [&](const auto& step) {
      return settings_.average ? pass_.run(AveragedStep(step), rows, order, seen, table, keys)
                               : pass_.run(step, rows, order, seen, table, keys);
    };
    progressive_loss_ += settings_.optimizer == Optimizer::sgd    ? run_by(PlainStep(steps_))
                         : settings_.optimizer == Optimizer::ftrl ? run_by(FtrlStep(steps_, all_->scales))
                                                                  : run_by(adagrad(rows, round, table));
  }
  // The rate falls slowly with the passes over the rows: squares of slopes that vanish do not lower it.
  AdagradStep adagrad(const linear::ShardRows& rows, const RoundOfSteps& round, std::span<const double> table) {
    constexpr double kFall = 0.1;
    StepSettings steps = steps_;
    steps.rate /= 1 + kFall * round.seen() / (round.rows * static_cast<double>(round.rounds));
    const bool begins = settings_.intercept && table[AdagradStep::sum_at(settings_.layout(all_->outputs))] == 0 &&
                        all_->first_squares.empty();
    intercepts_ = begins ? linear::intercepts_of(settings_.loss, all_->outputs, rows) : std::vector<double>();
    return {steps, {all_->scales, all_->first_squares, intercepts_}};
  }

  // With zero weights, for losses with unbounded slopes.
  double loss_of_none(const linear::ShardRows& data) const {
    return linear::chunked_sum(data.targets.size(), [&](std::size_t r) {
      const double loss = settings_.loss == Loss::squared ? data.targets[r] * data.targets[r] / 2 : all_->outputs;
      return loss * data.weight(r);
    });
  }
  // Throws UsageError if the job ends with losses with unbounded slopes that are far above those of zero weights.
  void require_learning() const {
    if (!linear::has_slopes_without_bound(settings_.loss)) return;
    // A shard may have few rows, which zero weights fit by chance, or unusual ones.
    const double slopes = all_->slopes, usual = settings_.loss == Loss::squared ? slopes * slopes / 2 : 0;
    if (progressive_loss_ > kMostLoss * (loss_of_none_ + usual * static_cast<double>(progressive_rows_)))
      throw UsageError("the loss is far larger than with zero weights: use a smaller --learning_rate");
  }

  linear::LocalPass pass_;
  std::optional<linear::ReadAhead> ahead_;
  std::vector<std::uint32_t> order_;  // of the rows in this epoch, or of a stream in this round
  std::vector<double> intercepts_;    // of the job's first round
  Epoch epoch_ = 0;
  double progressive_loss_ = 0;
  std::uint64_t progressive_rows_ = 0;
  double loss_of_none_ = 0;  // of these rows
};

// The dataflows of --exchange; none for --exchange=store.
std::vector<Dataflow> dataflows_of(Exchange exchange, std::uint32_t shards) {
  if (exchange == Exchange::allreduce) return {nested_dataflow(prime_degrees(shards))};
  if (exchange == Exchange::alltoall) return {all_dataflow(shards)};
  if (exchange == Exchange::halton) return {halton_dataflow(shards)};
  std::vector<Dataflow> flows;
  for (std::uint32_t t = 0; exchange == Exchange::butterfly && t < mixing_rounds(shards); ++t)
    flows.push_back(mixing_dataflow(shards, t));
  return flows;
}

// A shard with an --exchange other than the store.  The replica is a whole table of weights.  In the exchange rounds of
// an epoch, --exchange=allreduce sums the moves of the shards' steps, and each replica moves as the store would; any
// other averages the replicas with those received.  The epoch's last round, of the store, sets the table to the mean of
// the replicas, and the next epoch begins with it: so a replica is never saved.
class ReplicaPush final : public SgdPush, public ExchangePush {
 public:
  ReplicaPush(const Settings& settings, std::uint32_t shards, linear::ShardData data)
      : SgdPush(settings, std::move(data)), sums_(settings.exchange == Exchange::allreduce) {
    if (sums_)
      exchange_ = std::make_unique<NestedSum>(prime_degrees(shards));
    else
      exchange_ = std::make_unique<Averaging>();
    last_step_ = static_cast<std::uint32_t>(dataflows_of(settings.exchange, shards)[0].steps.size()) - 1;
  }

  std::uint64_t push(const ExchangeTask& task, Random& random) override {
    if (task.epoch != of_epoch_) replica_.assign(weights_.numbers().begin(), weights_.numbers().end());
    of_epoch_ = task.epoch;
    const std::uint64_t rows = take_steps(task.epoch, task.argument.as<RoundOfSteps>(), replica_, random);
    if (sums_) parts_.assign(replica_.size() + weights_.keys(), 0.0);
    for (const std::uint32_t key : pass().touched()) {
      if (sums_)
        make_part(key, replica_, part(key));
      else
        std::ranges::copy(pass().state(key), row(key).begin());
    }
    return rows;
  }

  void scatter(const ExchangeTask&, std::uint32_t step, Outgoing& out) override {
    exchange_->scatter(shard_, sums_ ? parts_ : replica_, step, out);
  }
  void gather(const ExchangeTask& task, std::uint32_t step, std::span<const Incoming> in) override {
    exchange_->gather(shard_, sums_ ? parts_ : replica_, step, in);
    if (!sums_ || step != last_step_) return;
    const RowMove move(settings_, steps_);
    const double seen = task.argument.as<RoundOfSteps>().seen_after();
    for (std::size_t key = 0; key < weights_.keys(); ++key)
      if (part(key).back() > 0) move(key, row(key), part(key), seen);
  }
  // An allreduce makes all replicas equal, so one shard reports them.
  std::uint64_t push(const SharedTask& task, Random&) override {
    if (sums_ && shard_ != 0) return 0;
    const std::size_t width = row(0).size();
    const std::span<double> parts = task.parts.run(0, weights_.keys());
    for (std::size_t key = 0; key < weights_.keys(); ++key)
      make_part(key, row(key), weights_.numbers().subspan(key * width, width),
                parts.subspan(key * (width + 1), width + 1));
    return 0;
  }

 private:
  std::span<double> row(std::size_t key) {
    const std::size_t width = replica_.size() / weights_.keys();
    return std::span(replica_).subspan(key * width, width);
  }
  std::span<double> part(std::size_t key) {
    const std::size_t width = parts_.size() / weights_.keys();
    return std::span(parts_).subspan(key * width, width);
  }

  bool sums_;
  std::uint32_t last_step_;
  std::unique_ptr<const ReplicaExchange> exchange_;
  Epoch of_epoch_ = 0;
  std::vector<double> replica_;
  std::vector<double> parts_;  // for --exchange=allreduce: the parts of all rows of the table
};

class SgdApp final : public linear::LinearApp {
 public:
  explicit SgdApp(const Job& job) : LinearApp(job, settings_of(job.options)), settings_(settings_of(job.options)) {}

  void facts(Facts& facts) const override {
    LinearApp::facts(facts);
    facts.add(linear::kRowsBefore, initial_ ? initial_->rows_before() : 0);
  }
  std::vector<Table> tables(const Facts& facts) const override { return {weights(facts)}; }
  std::vector<Dataflow> dataflows(const Facts&) const override { return dataflows_of(settings_.exchange, job_.shards); }
  std::vector<Term> terms() const override {
    std::vector<Term> terms = LinearApp::terms();
    terms.insert(terms.end(), {{"progressive"}, {"progressive_rows"}});
    return terms;
  }
  std::vector<Score> scores() const override {
    std::vector<Score> scores = LinearApp::scores();
    scores.insert(scores.begin(), {.name = "progressive_loss", .term = "progressive", .count = "progressive_rows"});
    return scores;
  }
  std::unique_ptr<Schedule> schedule(const Facts& facts, Share) const override {
    const std::uint64_t rows = facts.count("rows");
    RoundOfSteps first{.rounds = (rows + settings_.sync_rows - 1) / settings_.sync_rows,
                       .before = facts.number(linear::kRowsBefore)};
    first.rows = static_cast<double>(rows) / job_.shards / static_cast<double>(first.rounds);
    if (settings_.exchange == Exchange::store) return std::make_unique<SgdSchedule>(first, settings_.epochs);
    const auto flows = static_cast<std::uint32_t>(dataflows(facts).size());
    return std::make_unique<ExchangeSchedule>(linear::kWeights,
                                              ExchangeSchedule::Epochs{first.rounds, flows, settings_.epochs},
                                              [round = first](std::uint64_t n) mutable {
                                                round.number = n;
                                                return Argument(round);
                                              });
  }
  std::unique_ptr<Push> make_push(linear::ShardData data) const override {
    if (settings_.exchange == Exchange::store) return std::make_unique<SgdPush>(settings_, std::move(data));
    return std::make_unique<ReplicaPush>(settings_, job_.shards, std::move(data));
  }
  std::unique_ptr<Pull> pull(const Facts& facts) const override {
    const StepSettings steps = settings_.steps(facts.number("slopes"), facts.number("steps"));
    return std::make_unique<SgdPull>(settings_, steps, outputs_of(facts));
  }

 private:
  const Settings settings_;
};

constexpr Needs kLag = {"an --exchange other than allreduce",
                        [](const Options& options) { return options.text("exchange") != "allreduce"; }};
constexpr FrameworkNeeds kNeeds[] = {{"asynchronous", kLag}, {"staleness", kLag}};

// A round's mean over the shards advances about as far as one of them, so there are few, unless the data are large.
ChosenShards choose_shards(const Job& job) {
  return io::few_shards_below(256 << 20, kUsualShards / 2, job);
}

Plugin plugin() {
  return plugin_of<SgdApp>({.name = "sgd",
                            .summary = "linear models of classes and numbers, by stochastic gradient descent",
                            .items = "rows",
                            .options = declared_options<Settings>(),
                            .epochs = 0,  // the schedules end the job
                            .takes_model = true,
                            .akin_to = "linear",
                            .packed_format = linear::kPackedFormat,
                            .packed_options = linear::kPackedOptions,
                            .check = [](const Options& options) { (void)settings_of(options); },
                            .framework_needs = kNeeds,
                            .choose_shards = choose_shards,
                            .export_text = linear::export_text,
                            .commands = linear::commands()});
}

}  // namespace
}  // namespace rota::sgd

ROTA_PLUGIN(rota::sgd::plugin);
