// apps/sgd/tables.h -- the table of the weights, what rounds say, and the terms of an evaluation.
#pragma once
#include <cstddef>
#include <cstdint>

#include "apps/sgd/settings.h"
#include "rota/facts.h"
#include "rota/types.h"

namespace rota::sgd {

// Dense.  Row j is feature j (data.h): for each output its state (steps.h), the weight first.  A shard's part is how
// far the steps on its own rows moved each number, and behind these a 1, so that pull can take the mean of the shards
// that have the feature.  With --optimizer=ftrl the scale of the feature's steps is in place of the weight's move.
inline constexpr TableId kWeights = 0;

inline std::uint32_t outputs_of(const Settings& settings, const Facts& facts) {
  return settings.loss == Loss::softmax ? static_cast<std::uint32_t>(facts.count("classes")) : 1;
}

// A round's argument.
enum RoundArgument : std::size_t {
  kRoundOfEpoch,  // from 0
  kRounds,        // of an epoch
  kSeen,          // rows that a shard has seen in all rounds before, on average
  kSeenBehind,    // and with this one
};

enum TermId : std::size_t {
  kLoss,
  kPenalty,
  kProgressiveLoss,
  kProgressiveRows,
  kRight,
  kValidLoss,
  kValidRows,
  kValidRight,
};

}  // namespace rota::sgd
