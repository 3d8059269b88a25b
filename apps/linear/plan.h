// apps/linear/plan.h -- what a pull decides about the next round: its reply, and the argument of that round.
#pragma once
#include <cstdint>

namespace rota::optimum {

// Kinds of rounds.  An epoch is a gradient, the products with the Hessian that conjugate gradients need, and a search
// along the line; for the hinge loss there are more gradients, if multipliers change between them.  With --solver=svrg
// it is passes over the rows from a snapshot, and the gradient of the next snapshot; before the first, and after passes
// that were discarded, another gradient.
enum class Step : std::uint8_t { gradient, product, search, passes, closing_gradient };

struct Plan {
  Step next = Step::gradient;
  double sharpness = 0.25;  // of the smoothed hinge loss (linear_models/losses.h)
  double rate_share = 1;    // of --learning_rate
  double step_share = 1;    // of Newton's step, at the beginning of a search
  double distance = 0;      // from the optimum: the measure that --tolerance limits
  bool new_multipliers = false;
  bool converged = false;  // the distance is small enough
  bool stuck = false;      // rounding prevents convergence

  void fields(auto& list) {
    list(next, sharpness, rate_share, step_share, distance, new_multipliers, converged, stuck);
    list.check(next <= Step::closing_gradient);
  }
};

}  // namespace rota::optimum
