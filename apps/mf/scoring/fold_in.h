// apps/mf/scoring/fold_in.h -- the factors of a new user, from some ratings.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/mf/alternating/factors.h"
#include "apps/mf/commands/trained_model.h"

namespace rota::mf {

struct NewUser {
  std::vector<float> factors;  // of the width of the model's rows
  double bias = 0;
};

// Solves the user's row as --solver=als does, with fixed items: exactly, or for factors of at least 0 by coordinate
// descent.
class FoldIn {
 public:
  explicit FoldIn(const TrainedModel& model);
  // Of items by their number, and ratings less the model's base; implicit ones of the same item add up.
  NewUser operator()(std::span<const Partner> ratings) const;

 private:
  Settings settings_;
  RowForm form_;
  std::size_t width_;
  std::vector<double> items_;
  LineVector<double> gram_;
};

}  // namespace rota::mf
