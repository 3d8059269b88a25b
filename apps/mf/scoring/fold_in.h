// apps/mf/scoring/fold_in.h -- the factors of a user that the model has not seen, from some ratings.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/mf/commands/trained_model.h"

namespace rota::mf {

struct ItemRating {
  std::uint32_t item;
  double value;
};

struct NewUser {
  std::vector<float> factors;  // of the width of the model's rows
  double bias = 0;
};

// Minimises  sum over the ratings of (r - base - b_i - b - p . q_i)^2  +  penalty (|p|^2 + b^2)  over p, and over b in
// a model with biases, where the items stay as they are and the penalty is the job's: in closed form by a Cholesky
// decomposition, or for factors of at least 0 by coordinate descent.
NewUser fold_in(const TrainedModel& model, std::span<const ItemRating> ratings);

}  // namespace rota::mf
