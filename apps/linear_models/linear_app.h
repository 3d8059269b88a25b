// apps/linear_models/linear_app.h -- what apps of linear models have in common: the app up to its rounds, and a shard
// up to its push.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/linear_models/initial_weights.h"
#include "apps/linear_models/read_rows.h"
#include "apps/linear_models/row_scores.h"
#include "apps/linear_models/row_stream.h"
#include "apps/linear_models/trained_model.h"
#include "rota/packed_app.h"
#include "rota/push.h"

namespace rota::linear {

// What the push of a shard is made of.
struct ShardData {
  ShardId shard;
  std::shared_ptr<const SharedData> all;
  ShardRows training, held_out;
  std::unique_ptr<RowStream> stream;  // then there are no rows of training in memory
};

// One shard: its rows, and their losses with the current weights.
class RowsPush : public SharedPush {
 public:
  RowsPush(const Settings& settings, ShardData data);

  std::uint64_t items() const override { return stream_ ? stream_->rows : training_.rows.size(); }
  void attach(const Shape& shape) override { weights_ = shape.views[kWeights]; }
  void evaluate(Terms terms) const override;

 protected:
  const ShardId shard_;
  const std::shared_ptr<const SharedData> all_;
  const std::unique_ptr<const RowStream> stream_;
  ShardRows training_, held_out_;
  const std::vector<std::uint32_t> keys_;  // of the rows of training in memory, ascending
  TableView weights_;

 private:
  LossSums losses_of(const ShardRows& rows) const;

  const Settings common_;
};

// 0 .. count-1 in a random order.
std::vector<std::uint32_t> shuffled(std::size_t count, Random& random);
// The generator for the orders of an epoch of a shard; epoch 0 is for the order in which the rows are kept.
Random random_of_orders(std::uint64_t seed, ShardId shard, Epoch epoch);
// Appends 0 .. rows-1: blocks of neighbours in a random order, so that memory is mostly read sequentially.
void append_pass(std::size_t rows, Random& random, std::vector<std::uint32_t>& order);

class LinearApp : public PackedApp<RowFacts, RowData> {
 public:
  Loaded read(std::span<const ShardId> hosted) const final { return read_rows(job_, common_, hosted, packing()); }
  std::vector<std::unique_ptr<Push>> make_pushes(Loaded loaded, std::span<const ShardId> hosted, Random&) final;
  void facts(Facts& facts) const override;
  void start_row(const Facts& facts, TableId, Key key, std::span<double> row, Random&) const final;
  std::vector<Term> terms() const override;
  std::vector<Score> scores() const override;
  void save_common(Writer& out) const final {
    write_fields(out, ModelCommon{all_->classes, all_->origins, all_->names});
  }

 protected:
  LinearApp(const Job& job, Settings settings);

  virtual std::unique_ptr<Push> make_push(ShardData data) const = 0;
  std::uint32_t outputs_of(const Facts& facts) const { return common_.outputs(facts.count("classes")); }
  // The table, with parts as wide as its rows and one more number.
  Table weights(const Facts& facts) const;

  std::optional<InitialWeights> initial_;  // the start of the job

 private:
  std::shared_ptr<const SharedData> shared_data(const RowFacts& read, const std::string& name) const;
  void require_one_intercept(const RowFacts& data, const std::string& name) const;

  Settings common_;
  std::shared_ptr<const SharedData> all_;  // from make_pushes() on
};

}  // namespace rota::linear
