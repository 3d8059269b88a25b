// apps/sgd/svrg/svrg_push.h -- one shard of --optimizer=svrg: the gradient of its rows, and passes over them from where
// that was taken.
//
// The rounds are those of federated SVRG (Konecny, McMahan, Ramage and Richtarik, "Federated optimization: distributed
// machine learning for on-device intelligence", 2016, algorithm 4): all shards begin at one snapshot with the gradient
// of all rows there, take their own rows in steps whose variance that reduces, and a weight moves by the mean of the
// shards that have the feature.  Of a feature that a shard has more or less often than others, the whole gradient is
// scaled as its own rows are: every row bears it for the n / n_j rows that it stands for (steps.h).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/sgd/local_pass.h"
#include "apps/sgd/rows_push.h"

namespace rota::sgd {

// Parts are wide as a row of the table, and one more.  Of a gradient, the sum over the rows is where the table has the
// gradient, behind that of the first output is the scale of the feature's steps, then a 1, and the note is the sum of
// the losses.  Of passes they are as in tables.h, and the note is 1 if the steps were so large that the weights grew
// beyond all bounds; then there are no parts.
class SvrgPush final : public RowsPush {
 public:
  using Push::push;

  SvrgPush(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training, ShardRows held_out);

  std::uint64_t push(const SharedTask& task, Random& random) override;

 private:
  // The slopes of the rows at the weights as they are, into slopes_.  Returns the sum of the losses.
  double find_slopes();
  void add_gradient(double* parts) const;
  // Returns whether the weights have stayed in bounds.
  bool take_passes(double rate_share, const OpenParts& parts, Random& random);

  LocalPass pass_;
  std::vector<std::uint32_t> keys_;  // of the shard's rows
  std::vector<double> slopes_;       // row after row, at the last gradient; none in a resumed job
};

}  // namespace rota::sgd
