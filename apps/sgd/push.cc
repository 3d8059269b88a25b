#include "apps/sgd/push.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "apps/sgd/scoring.h"
#include "apps/sgd/tables.h"
#include "rota/error.h"
#include "rota/seed_mixer.h"

namespace rota::sgd {
namespace {

constexpr std::uint64_t kOrder = 0x6f72646572;  // names what these random numbers are for
// Rows that stay together in all epochs: memory is read forwards, and not in jumps.
constexpr std::size_t kBlock = 32;

// 0 .. count-1 in an order of its own for each epoch of each shard; epoch 0 is that in which the rows are kept.
std::vector<std::uint32_t> drawn_order(std::uint64_t seed, ShardId shard, Epoch epoch, std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  Random random = random_named({seed, kOrder, shard, epoch});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace

SgdPush::SgdPush(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training, ShardRows held_out)
    : shard_(shard),
      all_(std::move(all)),
      training_(reordered(training, drawn_order(all_->seed, shard, 0, training.rows.size()))),
      held_out_(std::move(held_out)),
      pass_(all_->settings, all_->scales, all_->outputs()) {}

void SgdPush::facts(Facts& facts) const {
  facts.largest("rows", static_cast<double>(all_->facts.rows));
  facts.largest("keys", static_cast<double>(all_->facts.keys));
  facts.largest("classes", static_cast<double>(all_->facts.classes.size()));
}

// The same in a resumed job, which is why it does not go on from the order before.
void SgdPush::begin_epoch(Epoch epoch) {
  epoch_ = epoch;
  progressive_loss_ = 0;
  progressive_rows_ = 0;
  const std::size_t rows = training_.rows.size();
  order_.clear();
  for (const std::uint32_t block : drawn_order(all_->seed, shard_, epoch, (rows + kBlock - 1) / kBlock))
    for (std::size_t r = block * kBlock; r < std::min(rows, (block + 1) * kBlock); ++r)
      order_.push_back(static_cast<std::uint32_t>(r));
}

std::uint64_t SgdPush::push(const SharedTask& task, Random&) {
  if (task.epoch != epoch_) begin_epoch(task.epoch);
  const auto at = static_cast<std::uint64_t>(task.argument[kRoundOfEpoch]);
  const auto rounds = static_cast<std::uint64_t>(task.argument[kRounds]);
  const std::size_t first = order_.size() * at / rounds, end = order_.size() * (at + 1) / rounds;
  const std::span<const double> table = weights_.numbers();
  progressive_loss_ += pass_.run(training_, std::span(order_).subspan(first, end - first), task.argument[kSeen], table);
  progressive_rows_ += end - first;
  if (!std::isfinite(progressive_loss_))
    throw UsageError("the weights have grown beyond all numbers: a smaller --learning_rate is needed");
  const bool is_ftrl = all_->settings.optimizer == Optimizer::ftrl;
  const std::uint32_t width = all_->settings.state_width();
  for (const std::uint32_t key : pass_.touched()) {
    const std::span<double> part = task.parts[key];
    const std::span<const double> state = pass_.state(key);
    const double* const before = table.data() + key * state.size();
    for (std::size_t i = 0; i < state.size(); ++i) part[i] = state[i] - before[i];
    if (is_ftrl)
      for (std::size_t i = 0; i < state.size(); i += width) part[i] = static_cast<double>(pass_.scale(key).step);
    part.back() = 1;
  }
  return end - first;
}

void SgdPush::evaluate(std::span<double> terms) const {
  const std::uint32_t outputs = all_->outputs(), width = all_->settings.state_width();
  const Weights weights{weights_.numbers(), std::size_t{outputs} * width, width};
  const LossSums own = score(all_->settings.loss, links_of(training_.rows, weights, outputs), outputs, training_);
  terms[kLoss] += own.loss / static_cast<double>(all_->facts.rows);
  terms[kProgressiveLoss] += progressive_loss_;
  terms[kProgressiveRows] += static_cast<double>(progressive_rows_);
  terms[kRight] += own.right;
  if (!all_->settings.held_out) return;
  const LossSums others = score(all_->settings.loss, links_of(held_out_.rows, weights, outputs), outputs, held_out_);
  terms[kValidLoss] += others.loss;
  terms[kValidRows] += static_cast<double>(held_out_.rows.size());
  terms[kValidRight] += others.right;
}

}  // namespace rota::sgd
