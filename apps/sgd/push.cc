#include "apps/sgd/push.h"

#include <cmath>
#include <utility>

#include "apps/linear/ordered_sum.h"
#include "apps/sgd/tables.h"
#include "rota/error.h"

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

}  // namespace

SgdPush::SgdPush(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training, ShardRows held_out,
                 std::unique_ptr<linear::RowStream> stream)
    : SavesFields(shard, std::move(all), training, std::move(held_out), std::move(stream)),
      pass_(all_->settings, all_->scales, all_->outputs(), all_->first_squares) {}

// The order is the same in a resumed job, so it does not depend on the previous order.
void SgdPush::begin_epoch(Epoch epoch) {
  epoch_ = epoch;
  progressive_loss_ = 0;
  progressive_rows_ = 0;
  loss_of_none_ = loss_of_none(all_->settings, all_->outputs(), training_);
  Random random = random_of_orders(all_->seed, shard_, epoch);
  order_.clear();
  append_pass(training_.rows.size(), random, order_);
}

std::uint64_t SgdPush::visit(std::span<const double> argument, std::span<const double> table, Random& random) {
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

std::uint64_t SgdPush::take_steps(Epoch epoch, std::span<const double> argument, std::span<const double> table,
                                  Random& random) {
  if (epoch != epoch_) begin_epoch(epoch);
  const std::uint64_t rows = visit(argument, table, random);
  progressive_rows_ += rows;
  if (!std::isfinite(progressive_loss_)) throw UsageError("the weights have overflowed: use a smaller --learning_rate");
  if (epoch == all_->settings.epochs) require_learning(argument);
  return rows;
}

void SgdPush::require_learning(std::span<const double> argument) const {
  const bool is_last = argument[kRoundOfEpoch] + 1 == argument[kRounds];
  if (!is_last || !has_slopes_without_bound(all_->settings.loss)) return;
  // A shard may have few rows, which zero weights fit by chance, or unusual ones.
  const double usual = all_->settings.loss == Loss::squared ? all_->slopes * all_->slopes / 2 : 0;
  if (progressive_loss_ > kMostLoss * (loss_of_none_ + usual * static_cast<double>(progressive_rows_)))
    throw UsageError("the loss is far larger than with zero weights: use a smaller --learning_rate");
}

void SgdPush::make_part(std::uint32_t key, std::span<const double> table, std::span<double> part) const {
  const std::span<const double> state = pass_.state(key);
  const double* const before = table.data() + key * state.size();
  for (std::size_t i = 0; i < state.size(); ++i) part[i] = state[i] - before[i];
  put_scale(key, part);
  part.back() = 1;
}

void SgdPush::put_scale(std::uint32_t key, std::span<double> part) const {
  if (all_->settings.optimizer != Optimizer::ftrl) return;
  for (std::size_t i = 0; i + 1 < part.size(); i += all_->settings.state_width()) part[i] = pass_.scale(key).step;
}

std::uint64_t SgdPush::push(const SharedTask& task, Random& random) {
  const std::span<const double> table = weights_.numbers();
  const std::uint64_t rows = take_steps(task.epoch, task.argument, table, random);
  for (const std::uint32_t key : pass_.touched()) make_part(key, table, task.parts[key]);
  return rows;
}

void SgdPush::evaluate(Terms terms) const {
  RowsPush::evaluate(terms);
  terms["progressive"] += progressive_loss_;
  terms["progressive_rows"] += static_cast<double>(progressive_rows_);
}

}  // namespace rota::sgd
