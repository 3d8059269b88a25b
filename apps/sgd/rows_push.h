// apps/sgd/rows_push.h -- one shard: its rows, and their losses with the current weights.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/linear_models/row_scores.h"
#include "apps/linear_models/row_stream.h"
#include "apps/linear_models/shard_rows.h"
#include "apps/sgd/settings.h"
#include "rota/push.h"

namespace rota::sgd {

// Common data of the shards of a process.
struct SharedData {
  Settings settings;
  linear::DataFacts facts;
  std::shared_ptr<const std::vector<FeatureScale>> scales;
  std::uint64_t seed = 1;
  double slopes = 1, steps = 1;  // their units: Settings::in_units()
  double rows_before = 0;        // rows that a shard has seen in earlier jobs (InitialWeights)
  // For a job with --init_model, by key: squares of gradients with slopes of one unit, for a shard.
  std::vector<double> first_squares;
  std::vector<double> moves;  // InitialWeights::moves_of_intercept()

  std::uint32_t outputs() const { return settings.outputs(facts.classes.size()); }
};

// 0 .. count-1 in a random order.
std::vector<std::uint32_t> shuffled(std::size_t count, Random& random);
// The generator for the orders of an epoch of a shard; epoch 0 is for the order in which the rows are kept.
Random random_of_orders(std::uint64_t seed, ShardId shard, Epoch epoch);
// Appends 0 .. rows-1: blocks of neighbours in a random order, so that memory is mostly read sequentially.
void append_pass(std::size_t rows, Random& random, std::vector<std::uint32_t>& order);

// The keys of rows, ascending.
std::vector<std::uint32_t> keys_of(const Rows& rows);
// Requests the parts of the keys, and returns the address of the part of key 0: parts are consecutive.
double* begin_parts(const OpenParts& parts, std::span<const std::uint32_t> keys);

class RowsPush : public SharedPush {
 public:
  // With a stream there are no rows of training in memory.
  RowsPush(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training, ShardRows held_out,
           std::unique_ptr<linear::RowStream> stream = nullptr);

  std::uint64_t items() const override { return stream_ ? stream_->rows() : training_.rows.size(); }
  void facts(Facts& facts) const override;
  void attach(const Shape& shape) override { weights_ = shape.views[0]; }
  void evaluate(Terms terms) const override;

 protected:
  ShardId shard_;
  std::shared_ptr<const SharedData> all_;
  ShardRows training_, held_out_;
  std::unique_ptr<linear::RowStream> stream_;
  TableView weights_;
};

}  // namespace rota::sgd
