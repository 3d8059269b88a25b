// apps/linear/solvers.h -- the shards and pulls of the solvers, and what they have in common.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "apps/linear/settings.h"
#include "apps/linear_models/linear_app.h"
#include "apps/linear_models/penalty.h"

namespace rota::optimum {

// Kinds of rounds.  An epoch is a gradient, the products with the Hessian that conjugate gradients need, and a search
// along the line; for the hinge loss there are more gradients, if multipliers change between them.  With --solver=svrg
// it is passes over the rows from a snapshot, and the gradient of the next snapshot; before the first, and after passes
// that were discarded, another gradient.
enum class Step : std::uint8_t { gradient, product, search, passes, closing_gradient };

// What a pull decides about the next round: its reply, and the argument of that round.
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

// Newton's method by conjugate gradients, and svm.
std::unique_ptr<Push> newton_push(const Settings& settings, linear::ShardData data);
std::unique_ptr<Pull> newton_pull(const Settings& settings, const Facts& facts);
std::uint32_t newton_part_width(Key keys, std::uint32_t outputs);

std::unique_ptr<Push> svrg_push(const Settings& settings, linear::ShardData data);
std::unique_ptr<Pull> svrg_pull(const Settings& settings, const Facts& facts);

class SolverPush : public linear::RowsPush {
 public:
  SolverPush(const Settings& settings, linear::ShardData data)
      : RowsPush(settings, std::move(data)), settings_(settings), outputs_(all_->outputs) {}

 protected:
  // Requests the parts of the shard's keys, and returns the address of the part of key 0: parts are consecutive.
  double* begin_parts(const OpenParts& parts) const {
    for (const std::uint32_t key : keys_) parts[key];
    return parts[0].data();
  }

  const Settings settings_;
  const std::uint32_t outputs_;
};

class SolverPull : public linear::WeightsPull {
 public:
  SolverPull(const Settings& settings, const Facts& facts)
      : WeightsPull(settings, settings.outputs(facts.count("classes"))),
        settings_(settings),
        rows_(static_cast<double>(facts.count("rows"))) {
    if (const double deviation = facts.number("deviation"); deviation > 0) most_ = deviation;
  }

 protected:
  double l1(Key key) const { return settings_.bears_penalty(key) ? settings_.l1 : 0; }
  double l2(Key key) const { return settings_.bears_penalty(key) ? settings_.l2 : 0; }
  // The sums that shards send in addition to their parts, number by number, in the order of the shards.
  static std::vector<double> sum_of_notes(std::span<const Bytes> notes, std::size_t count) {
    std::vector<double> sums(count);
    for (const Bytes& note : notes) {
      const auto numbers = read_fields<std::vector<double>>(note);
      if (!numbers.empty() && numbers.size() != count) throw std::runtime_error("a note of another round");
      for (std::size_t i = 0; i < numbers.size(); ++i) sums[i] += numbers[i];
    }
    return sums;
  }

  const Settings settings_;
  const double rows_;
  // An upper limit for the gradient at the beginning.  If labels that are numbers are not fitted less their mean, the
  // first gradient may be that of the mean, and as large as that.  The reference for later gradients is a gradient of
  // their deviation instead: in the units of FeatureScale::step, at most that large.
  double most_ = std::numeric_limits<double>::infinity();
  Plan plan_;
};

}  // namespace rota::optimum
