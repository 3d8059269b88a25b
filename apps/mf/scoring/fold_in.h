// apps/mf/scoring/fold_in.h -- the factors of a user that the model has not seen, from some ratings.
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

// As --solver=als would solve the user's row, where the items stay as they are: exactly, or of factors of at least 0 by
// coordinate descent.
class FoldIn {
 public:
  explicit FoldIn(const TrainedModel& model);
  // Of items by their number, and ratings from the model's base on; implicit ones of the same item add up.
  NewUser operator()(std::span<const Partner> ratings) const;

 private:
  Settings settings_;
  RowForm form_;
  std::size_t width_;
  std::vector<double> items_;
  LineVector<double> gram_;
};

}  // namespace rota::mf
