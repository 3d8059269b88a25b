// apps/sgd/svrg/svrg_push.h -- one shard of --optimizer=svrg: the gradient of its rows at a snapshot, and passes over
// them from there.
//
// The rounds are those of federated SVRG (Konecny, McMahan, Ramage and Richtarik, "Federated optimization: distributed
// machine learning for on-device intelligence", 2016, algorithm 4): all shards begin at one snapshot with the gradient
// of all rows there, make steps on their own rows, whose variance that reduces, and a weight moves by the mean of the
// shards that have the feature.  For a feature that is more or less frequent in a shard than in others, the whole
// gradient is scaled like its own rows: every row bears it for n / n_j rows (steps.h).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/sgd/local_pass.h"
#include "apps/sgd/rows_push.h"

namespace rota::sgd {

// Parts are as wide as a row of the table, plus one.  For a gradient, the sum over the rows is at the position of the
// gradient in the table, after that of the first output is the scale of the feature's steps, then a 1, and the note is
// the sum of the losses.  For passes they are as in tables.h, and the note is 1 if the steps were so large that the
// weights overflowed; then there are no parts.
class SvrgPush final : public RowsPush {
 public:
  SvrgPush(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training, ShardRows held_out);

  std::uint64_t push(const SharedTask& task, Random& random) override;

 private:
  // Computes the slopes of the rows with the current weights, into slopes_.  Returns the sum of the losses.
  double find_slopes();
  void add_gradient(double* parts) const;
  // Returns whether the weights have stayed finite.
  bool take_passes(double rate_share, const OpenParts& parts, Random& random);

  LocalPass pass_;
  std::vector<std::uint32_t> keys_;  // of the shard's rows
  std::vector<double> slopes_;       // row after row, at the last gradient; none in a resumed job
};

}  // namespace rota::sgd
