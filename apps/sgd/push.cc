#include "apps/sgd/push.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "apps/linear_models/ordered_sum.h"
#include "apps/sgd/local_pass.h"
#include "apps/sgd/pull.h"
#include "apps/sgd/tables.h"
#include "rota/error.h"
#include "rota/exchange/replica_exchange.h"
#include "rota/fields.h"

namespace rota::sgd {
namespace {

constexpr double kMostLoss = 1000;  // of a job's last epoch, relative to that of zero weights

// For losses with unbounded slopes.
double loss_of_none(const Settings& settings, std::uint32_t outputs, const ShardRows& data) {
  return linear::chunked_sum(data.targets.size(), [&](std::size_t r) {
    const double loss = settings.loss == Loss::squared ? data.targets[r] * data.targets[r] / 2 : outputs;
    return data.weights.empty() ? loss : loss * data.weights[r];
  });
}

// One shard: its rows, in an order of its own in each epoch.
class SgdPush : public RowsPush {
 public:
  SgdPush(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training, ShardRows held_out,
          std::unique_ptr<linear::RowStream> stream)
      : RowsPush(shard, std::move(all), training, std::move(held_out), std::move(stream)),
        pass_(all_->settings, all_->scales, all_->outputs(), all_->first_squares) {}

  std::uint64_t push(const SharedTask& task, Random& random) override {
    const std::span<const double> table = weights_.numbers();
    const std::uint64_t rows = take_steps(task.epoch, task.argument, table, random);
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
  // Makes the steps of a round with this argument, on weights that begin as those of `table`.  Returns its rows.
  std::uint64_t take_steps(Epoch epoch, std::span<const double> argument, std::span<const double> table,
                           Random& random) {
    if (epoch != epoch_) begin_epoch(epoch);
    const std::uint64_t rows = visit(argument, table, random);
    progressive_rows_ += rows;
    if (!std::isfinite(progressive_loss_))
      throw UsageError("the weights have overflowed: use a smaller --learning_rate");
    if (epoch == all_->settings.epochs) require_learning(argument);
    return rows;
  }
  // The weights after that.
  const LocalPass& pass() const { return pass_; }
  // The part of a row of the table: how far the steps moved it.
  void make_part(std::uint32_t key, std::span<const double> table, std::span<double> part) const {
    const std::span<const double> state = pass_.state(key);
    const double* const before = table.data() + key * state.size();
    for (std::size_t i = 0; i < state.size(); ++i) part[i] = state[i] - before[i];
    put_scale(key, part);
    part.back() = 1;
  }
  // Writes the scale of the steps into a part with --optimizer=ftrl.
  void put_scale(std::uint32_t key, std::span<double> part) const {
    if (all_->settings.optimizer != Optimizer::ftrl) return;
    for (std::size_t i = 0; i + 1 < part.size(); i += all_->settings.state_width()) part[i] = pass_.scale(key).step;
  }

 private:
  // The order is the same in a resumed job, so it does not depend on the previous order.
  void begin_epoch(Epoch epoch) {
    epoch_ = epoch;
    progressive_loss_ = 0;
    progressive_rows_ = 0;
    loss_of_none_ = loss_of_none(all_->settings, all_->outputs(), training_);
    Random random = random_of_orders(all_->seed, shard_, epoch);
    order_.clear();
    append_pass(training_.rows.size(), random, order_);
  }
  // Visits the rows of a round, and returns their number.
  std::uint64_t visit(std::span<const double> argument, std::span<const double> table, Random& random) {
    const auto at = static_cast<std::uint64_t>(argument[kRoundOfEpoch]);
    const auto rounds = static_cast<std::uint64_t>(argument[kRounds]);
    const double seen = argument[kSeen];
    if (!stream_) {
      const std::size_t first = order_.size() * at / rounds, end = order_.size() * (at + 1) / rounds;
      progressive_loss_ += pass_.run(training_, std::span(order_).subspan(first, end - first), seen, table);
      return end - first;
    }
    if (!ahead_) ahead_ = std::make_unique<linear::ReadAhead>(*stream_, rounds);
    const ShardRows rows = ahead_->next();
    order_ = shuffled(rows.rows.size(), random);
    loss_of_none_ += loss_of_none(all_->settings, all_->outputs(), rows);
    progressive_loss_ += pass_.run(rows, order_, seen, table);
    return order_.size();
  }

  // Throws UsageError if the job ends with losses with unbounded slopes that are far above those of zero weights.
  void require_learning(std::span<const double> argument) const {
    const bool is_last = argument[kRoundOfEpoch] + 1 == argument[kRounds];
    if (!is_last || !has_slopes_without_bound(all_->settings.loss)) return;
    // A shard may have few rows, which zero weights fit by chance, or unusual ones.
    const double usual = all_->settings.loss == Loss::squared ? all_->slopes * all_->slopes / 2 : 0;
    if (progressive_loss_ > kMostLoss * (loss_of_none_ + usual * static_cast<double>(progressive_rows_)))
      throw UsageError("the loss is far larger than with zero weights: use a smaller --learning_rate");
  }

  LocalPass pass_;
  std::unique_ptr<linear::ReadAhead> ahead_;
  std::vector<std::uint32_t> order_;  // of the rows in this epoch, or of a stream in this round
  Epoch epoch_ = 0;
  double progressive_loss_ = 0;
  std::uint64_t progressive_rows_ = 0;
  double loss_of_none_ = 0;  // of these rows, with zero weights
};

std::unique_ptr<const ReplicaExchange> exchange_of(Exchange exchange, std::uint32_t shards) {
  if (exchange == Exchange::allreduce) return std::make_unique<NestedSum>(prime_degrees(shards));
  return std::make_unique<Averaging>();
}

// The replica is a whole table of weights.  In the exchange rounds of an epoch, --exchange=allreduce sums the moves of
// the shards' steps, and each replica moves as the store would; any other averages the replicas with those received.
// The epoch's last round, of the store, sets the table to the mean of the replicas, and the next epoch begins with it:
// so a replica is never saved.
class ReplicaPush final : public SgdPush, public ExchangePush {
 public:
  ReplicaPush(ShardId shard, std::uint32_t shards, std::shared_ptr<const SharedData> all, const ShardRows& training,
              ShardRows held_out, std::unique_ptr<linear::RowStream> stream)
      : SgdPush(shard, std::move(all), training, std::move(held_out), std::move(stream)),
        last_step_(static_cast<std::uint32_t>(dataflows_of(all_->settings.exchange, shards)[0].steps.size()) - 1),
        exchange_(exchange_of(all_->settings.exchange, shards)) {}

  std::uint64_t push(const ExchangeTask& task, Random& random) override {
    if (task.epoch != of_epoch_) replica_.assign(weights_.numbers().begin(), weights_.numbers().end());
    of_epoch_ = task.epoch;
    const std::uint64_t rows = take_steps(task.epoch, task.argument, replica_, random);
    if (sums()) {
      const std::size_t width = replica_.size() / weights_.keys() + 1;
      parts_.assign(weights_.keys() * width, 0.0);
      for (const std::uint32_t key : pass().touched())
        make_part(key, replica_, std::span(parts_).subspan(key * width, width));
      return rows;
    }
    for (const std::uint32_t key : pass().touched()) {
      const std::span<const double> state = pass().state(key);
      std::copy(state.begin(), state.end(), replica_.begin() + static_cast<std::ptrdiff_t>(key * state.size()));
    }
    return rows;
  }

  void scatter(const ExchangeTask&, std::uint32_t step, Outgoing& out) override {
    exchange_->scatter(shard_, sums() ? parts_ : replica_, step, out);
  }
  void gather(const ExchangeTask& task, std::uint32_t step, std::span<const Incoming> in) override {
    exchange_->gather(shard_, sums() ? parts_ : replica_, step, in);
    if (sums() && step == last_step_) move_by_sums(task.argument[kSeenAfter]);
  }
  // An allreduce makes all replicas equal, so one shard reports them.
  std::uint64_t push(const SharedTask& task, Random&) override {
    if (sums() && shard_ != 0) return 0;
    const std::span<double> parts = task.parts.run(0, weights_.keys());
    const std::span<const double> before = weights_.numbers();
    const std::size_t width = replica_.size() / weights_.keys();
    for (std::size_t key = 0; key < weights_.keys(); ++key) {
      double* const part = parts.data() + key * (width + 1);
      for (std::size_t i = 0; i < width; ++i) part[i] = replica_[key * width + i] - before[key * width + i];
      put_scale(static_cast<std::uint32_t>(key), std::span(part, width + 1));
      part[width] = 1;
    }
    return 0;
  }

 private:
  bool sums() const { return all_->settings.exchange == Exchange::allreduce; }
  void move_by_sums(double seen_behind) {
    const RowMove move(all_->settings, all_->outputs());
    const std::size_t width = replica_.size() / weights_.keys();
    for (std::size_t key = 0; key < weights_.keys(); ++key) {
      const std::span<const double> sum = std::span(parts_).subspan(key * (width + 1), width + 1);
      if (sum.back() > 0) move(key, std::span(replica_).subspan(key * width, width), sum, seen_behind);
    }
  }

  std::uint32_t last_step_;
  std::unique_ptr<const ReplicaExchange> exchange_;
  Epoch of_epoch_ = 0;
  std::vector<double> replica_;
  std::vector<double> parts_;  // for --exchange=allreduce: the parts of all rows of the table
};

}  // namespace

std::vector<Dataflow> dataflows_of(Exchange exchange, std::uint32_t shards) {
  std::vector<Dataflow> flows;
  switch (exchange) {
    case Exchange::store:
      break;
    case Exchange::allreduce:
      flows.push_back(nested_dataflow(prime_degrees(shards)));
      break;
    case Exchange::butterfly:
      for (std::uint32_t t = 0; t < mixing_rounds(shards); ++t) flows.push_back(mixing_dataflow(shards, t));
      break;
    case Exchange::alltoall:
      flows.push_back(all_dataflow(shards));
      break;
    case Exchange::halton:
      flows.push_back(halton_dataflow(shards));
      break;
  }
  return flows;
}

std::unique_ptr<Push> sgd_push(ShardId shard, std::uint32_t shards, std::shared_ptr<const SharedData> all,
                               const ShardRows& training, ShardRows held_out,
                               std::unique_ptr<linear::RowStream> stream) {
  if (all->settings.exchange == Exchange::store)
    return std::make_unique<SgdPush>(shard, std::move(all), training, std::move(held_out), std::move(stream));
  return std::make_unique<ReplicaPush>(shard, shards, std::move(all), training, std::move(held_out), std::move(stream));
}

}  // namespace rota::sgd
