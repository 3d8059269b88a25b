// apps/sgd/push.h -- one shard of the stochastic optimisers: its rows, in an order of its own in each epoch.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "apps/sgd/local_pass.h"
#include "apps/sgd/rows_push.h"
#include "rota/fields.h"

namespace rota::sgd {

class SgdPush final : public SavesFields<RowsPush, SgdPush> {
 public:
  using Push::push;

  SgdPush(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training, ShardRows held_out);

  std::uint64_t push(const SharedTask& task, Random& random) override;
  void evaluate(std::span<double> terms) const override;

  // Of the epoch: the losses of its rows, each before its own step.
  void fields(auto& list) { list(epoch_, progressive_loss_, progressive_rows_); }

 private:
  void begin_epoch(Epoch epoch);

  LocalPass pass_;
  std::vector<std::uint32_t> order_;  // of the rows in this epoch
  Epoch epoch_ = 0;
  double progressive_loss_ = 0;
  std::uint64_t progressive_rows_ = 0;
};

}  // namespace rota::sgd
