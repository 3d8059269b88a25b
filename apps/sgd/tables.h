// apps/sgd/tables.h -- the table of the weights, the arguments of rounds, and the terms of an evaluation.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "apps/linear_models/shard_rows.h"
#include "apps/sgd/settings.h"
#include "rota/facts.h"
#include "rota/types.h"

namespace rota::sgd {

// Dense.  Row j is feature j (linear_models/shard_rows.h): for each output its state (steps.h), the weight first.  A
// shard's part is the move of each number by the steps on its own rows, and after these a 1, so that pull can take the
// mean over the shards that have the feature.  With --optimizer=ftrl the scale of the feature's steps replaces the
// weight's move. Exact solvers have other parts (exact/), and a table in a single partition.
inline constexpr TableId kWeights = 0;

inline std::uint32_t outputs_of(const Settings& settings, const Facts& facts) {
  return settings.outputs(facts.count("classes"));
}

// The root of the mean squared distance of labels that are numbers from their centre.
inline double slopes_of(const Facts& facts) {
  return facts.has("slopes") ? facts.number("slopes") : 1;
}
inline double steps_of(const Facts& facts) {
  return facts.has("steps") ? facts.number("steps") : 1;
}
inline double centre_of(const Facts& facts) {
  return facts.has("centre") ? facts.number("centre") : 0;
}

// Rows that a shard has seen in the jobs before this one, on average.
inline double rows_before_job(const Facts& facts) {
  return facts.has("rows_before") ? facts.number("rows_before") : 0;
}

// The fact with the difference of the intercept of output 0, 1, ... from the model of --init_model; none if it is 0.
inline std::string name_of_move(std::size_t output) {
  return "intercept_move_" + std::to_string(output);
}
inline std::vector<double> moves_of(const Facts& facts) {
  std::vector<double> moves;
  while (facts.has(name_of_move(moves.size()))) moves.push_back(facts.number(name_of_move(moves.size())));
  return moves;
}

// If labels that are numbers are not fitted less their mean, the first gradient may be that of the mean, and as large
// as that.  The reference for later gradients is a gradient of their deviation instead: in the units of
// FeatureScale::step, at most that large.
inline double most_of_first_gradient(const Settings& settings, const Facts& facts) {
  const bool known = settings.normalized && facts.has("deviation");
  return known ? facts.number("deviation") : std::numeric_limits<double>::infinity();
}

inline bool bears_penalty(const Settings& settings, Key key) {
  return key != kIntercept || settings.penalized_intercept;
}

// A round's argument.
enum RoundArgument : std::size_t {
  kRoundOfEpoch,  // from 0
  kRounds,        // of an epoch
  kSeen,          // rows that a shard has seen in all earlier rounds, on average
  kSeenAfter,     // the same including this round
};

// Of a row of the table.
inline void add_penalty(const Settings& settings, Key key, std::span<const double> row, std::uint32_t outputs,
                        Terms terms) {
  if (!bears_penalty(settings, key)) return;
  for (std::uint32_t k = 0; k < outputs; ++k) {
    const double w = row[k * settings.state_width() + settings.model_weight()];
    terms["penalty"] += settings.l1 * std::abs(w) + settings.l2 / 2 * w * w;
  }
}

}  // namespace rota::sgd
