#include "apps/sgd/rows_push.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "apps/sgd/tables.h"
#include "rota/seed_mixer.h"

namespace rota::sgd {
namespace {

constexpr std::uint64_t kOrder = 0x6f72646572;  // identifies the purpose of these random numbers
constexpr std::uint64_t kRowsAtOnce = 4096;     // of a stream, when it is evaluated
constexpr std::size_t kBlock = 32;              // rows that stay together in a pass

ShardRows in_drawn_order(const ShardRows& rows, Random random) {
  return reordered(rows, shuffled(rows.rows.size(), random));
}

}  // namespace

std::vector<std::uint32_t> shuffled(std::size_t count, Random& random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

Random random_of_orders(std::uint64_t seed, ShardId shard, Epoch epoch) {
  return random_named({seed, kOrder, shard, epoch});
}

void append_pass(std::size_t rows, Random& random, std::vector<std::uint32_t>& order) {
  for (const std::uint32_t block : shuffled((rows + kBlock - 1) / kBlock, random))
    for (std::size_t r = block * kBlock; r < std::min(rows, (block + 1) * kBlock); ++r)
      order.push_back(static_cast<std::uint32_t>(r));
}

std::vector<std::uint32_t> keys_of(const Rows& rows) {
  std::vector<std::uint32_t> keys;
  std::vector<bool> seen;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const Entry& entry : rows[r]) {
      if (entry.key >= seen.size()) seen.resize(std::max<std::size_t>(entry.key + std::size_t{1}, 2 * seen.size()));
      if (!seen[entry.key]) keys.push_back(entry.key);
      seen[entry.key] = true;
    }
  std::sort(keys.begin(), keys.end());
  return keys;
}

double* begin_parts(const OpenParts& parts, std::span<const std::uint32_t> keys) {
  for (const std::uint32_t key : keys) parts[key];
  return parts[0].data();
}

RowsPush::RowsPush(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training, ShardRows held_out,
                   std::unique_ptr<linear::RowStream> stream)
    : shard_(shard),
      all_(std::move(all)),
      training_(in_drawn_order(training, random_of_orders(all_->seed, shard, 0))),
      held_out_(std::move(held_out)),
      stream_(std::move(stream)) {}

void RowsPush::facts(Facts& facts) const {
  facts.largest("rows", static_cast<double>(all_->facts.rows));
  facts.largest("keys", static_cast<double>(all_->facts.keys));
  facts.largest("classes", static_cast<double>(all_->facts.classes.size()));
  if (all_->settings.loss == Loss::squared) {
    facts.largest("slopes", all_->slopes);
    facts.largest("centre", all_->facts.centre);
    const linear::Responses& responses = all_->facts.responses;
    const double deviation = all_->settings.centres() ? 0 : responses.spread(responses.mean);
    if (deviation > 0) facts.largest("deviation", deviation);
  }
  if (all_->settings.optimizer == Optimizer::ftrl) facts.largest("steps", all_->steps);
  for (std::size_t k = 0; k < all_->moves.size(); ++k) facts.largest(name_of_move(k), all_->moves[k]);
  if (all_->rows_before > 0) facts.largest("rows_before", all_->rows_before);
}

void RowsPush::evaluate(Terms terms) const {
  const std::uint32_t outputs = all_->outputs(), width = all_->settings.state_width();
  const linear::Weights weights{weights_.numbers().subspan(all_->settings.model_weight()), std::size_t{outputs} * width,
                                width};
  const auto losses_of = [&](const ShardRows& data) {
    return linear::score(all_->settings.loss, linear::links_of(data.rows, weights, outputs), outputs, data);
  };
  linear::LossSums own = losses_of(training_);
  if (stream_)
    stream_->read([](std::uint64_t) { return kRowsAtOnce; },
                  [&](ShardRows&& data) {
                    const linear::LossSums some = losses_of(data);
                    own.loss += some.loss;
                    own.right += some.right;
                  });
  terms["loss"] += own.loss / static_cast<double>(all_->facts.rows);
  terms["right"] += own.right;
  if (!all_->settings.held_out) return;
  const linear::LossSums others = losses_of(held_out_);
  terms["valid"] += others.loss;
  terms["valid_rows"] += static_cast<double>(held_out_.rows.size());
  terms["valid_right"] += others.right;
}

}  // namespace rota::sgd
