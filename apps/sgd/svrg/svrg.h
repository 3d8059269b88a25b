// apps/sgd/svrg/svrg.h -- --optimizer=svrg: shards with the gradient of their rows at a snapshot, and passes over them
// from there; and the pull that combines the passes, and discards them if the objective is larger.
//
// The rounds are those of federated SVRG (Konecny, McMahan, Ramage and Richtarik, "Federated optimization: distributed
// machine learning for on-device intelligence", 2016, algorithm 4): all shards begin at one snapshot with the gradient
// of all rows there, make steps on their own rows, whose variance that reduces, and a weight moves by the mean of the
// shards that have the feature.  For a feature that is more or less frequent in a shard than in others, the whole
// gradient is scaled like its own rows: every row bears it for n / n_j rows (steps.h).
#pragma once
#include <cstdint>
#include <memory>

#include "apps/sgd/exact/plan.h"
#include "apps/sgd/rows_push.h"
#include "rota/pull.h"

namespace rota::sgd {

std::unique_ptr<Push> svrg_push(ShardId shard, std::shared_ptr<const SharedData> all, const ShardRows& training,
                                ShardRows held_out);
// `most`: an upper limit for the gradient at the beginning (most_of_first_gradient()).
std::unique_ptr<Pull> svrg_pull(const Settings& settings, std::uint32_t outputs, std::uint64_t rows, double most);

}  // namespace rota::sgd
