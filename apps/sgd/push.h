// apps/sgd/push.h -- one shard: its rows, in an order of its own in each epoch.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "apps/sgd/data.h"
#include "apps/sgd/local_pass.h"
#include "apps/sgd/settings.h"
#include "rota/fields.h"
#include "rota/push.h"

namespace rota::sgd {

// What all shards of a process know alike.
struct SharedData {
  Settings settings;
  DataFacts facts;
  std::shared_ptr<const std::vector<FeatureScale>> scales;
  std::uint64_t seed = 1;

  std::uint32_t outputs() const {
    return settings.loss == Loss::softmax ? static_cast<std::uint32_t>(facts.classes.size()) : 1;
  }
};

class SgdPush final : public SavesFields<Push, SgdPush> {
 public:
  using Push::push;

  SgdPush(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training, ShardRows held_out);

  std::uint64_t items() const override { return training_.rows.size(); }
  void facts(Facts& facts) const override;
  void attach(const Shape& shape) override { weights_ = shape.views[0]; }
  std::uint64_t push(const SharedTask& task, Random& random) override;
  void evaluate(std::span<double> terms) const override;

  // Of the epoch: the losses of its rows, each before its own step.
  void fields(auto& list) { list(epoch_, progressive_loss_, progressive_rows_); }

 private:
  void begin_epoch(Epoch epoch);

  ShardId shard_;
  std::shared_ptr<const SharedData> all_;
  ShardRows training_, held_out_;
  LocalPass pass_;
  TableView weights_;
  std::vector<std::uint32_t> order_;  // of the rows in this epoch
  Epoch epoch_ = 0;
  double progressive_loss_ = 0;
  std::uint64_t progressive_rows_ = 0;
};

}  // namespace rota::sgd
