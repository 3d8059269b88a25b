// apps/sgd/push.h -- one shard of the stochastic optimisers: its rows, in an order of its own in each epoch.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "apps/sgd/local_pass.h"
#include "apps/sgd/rows_push.h"
#include "rota/fields.h"

namespace rota::sgd {

class SgdPush : public SavesFields<RowsPush, SgdPush> {
 public:
  SgdPush(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training, ShardRows held_out,
          std::unique_ptr<linear::RowStream> stream = nullptr);

  std::uint64_t push(const SharedTask& task, Random& random) override;
  void evaluate(Terms terms) const override;

  // Of the epoch: the losses of its rows, each before its own step.
  void fields(auto& list) { list(epoch_, progressive_loss_, progressive_rows_); }

 protected:
  // Makes the steps of a round with this argument, on weights that begin as those of `table`.  Returns its rows.
  std::uint64_t take_steps(Epoch epoch, std::span<const double> argument, std::span<const double> table,
                           Random& random);
  // The weights after that.
  const LocalPass& pass() const { return pass_; }
  // The part of a row of the table: how far the steps moved it.
  void make_part(std::uint32_t key, std::span<const double> table, std::span<double> part) const;
  // Writes the scale of the steps into a part with --optimizer=ftrl.
  void put_scale(std::uint32_t key, std::span<double> part) const;

 private:
  void begin_epoch(Epoch epoch);
  // Visits the rows of a round, and returns their number.
  std::uint64_t visit(std::span<const double> argument, std::span<const double> table, Random& random);

  // Throws UsageError if the job ends with losses with unbounded slopes that are far above those of zero weights.
  void require_learning(std::span<const double> argument) const;

  LocalPass pass_;
  std::unique_ptr<linear::ReadAhead> ahead_;
  std::vector<std::uint32_t> order_;  // of the rows in this epoch, or of a stream in this round
  Epoch epoch_ = 0;
  double progressive_loss_ = 0;
  std::uint64_t progressive_rows_ = 0;
  double loss_of_none_ = 0;  // of these rows, with zero weights
};

}  // namespace rota::sgd
