// apps/sgd/exact/plan.h -- the replies of the pull of an optimiser that reaches the optimum, and the schedule that
// follows them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "apps/sgd/tables.h"
#include "rota/fields.h"
#include "rota/schedule.h"

namespace rota::sgd {

// Kinds of rounds.  An epoch is a gradient, the products with the Hessian that conjugate gradients need, and a search
// along the line; for the hinge loss there are more gradients, if multipliers change between them.  With
// --optimizer=svrg it is passes over the rows from a snapshot, and the gradient of the next snapshot; before the first,
// and after passes that were discarded, another gradient.
enum class Step : std::uint8_t { gradient, product, search, passes, closing_gradient };

// A round's argument.
enum ExactArgument : std::size_t { kStep, kSharpness, kRateShare, kStepShare };

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

// The sums that shards send in addition to their parts, number by number, in the order of the shards.
inline std::vector<double> sum_of_notes(std::span<const Bytes> notes, std::size_t count) {
  std::vector<double> sums(count);
  for (const Bytes& note : notes) {
    const auto numbers = read_fields<std::vector<double>>(note);
    if (!numbers.empty() && numbers.size() != count) throw std::runtime_error("a note of another round");
    for (std::size_t i = 0; i < numbers.size(); ++i) sums[i] += numbers[i];
  }
  return sums;
}

class PlanSchedule final : public Schedule {
 public:
  // `epochs`: at most.
  explicit PlanSchedule(std::uint64_t epochs) : epochs_(epochs) {}

  std::uint32_t pipeline(std::uint32_t) const override { return 1; }
  Feedback wish() const override { return Feedback::reply; }
  Round next(Random&) override {
    Round round;
    round.table = kWeights;
    round.open = true;
    round.argument = {static_cast<double>(plan_.next), plan_.sharpness, plan_.rate_share, plan_.step_share};
    round.ends_epoch = plan_.next == Step::search || plan_.next == Step::closing_gradient;
    if (round.ends_epoch) round.ends_job = ++done_ == epochs_;
    return round;
  }
  void feedback(const Commit& commit) override { plan_ = read_fields<Plan>(commit.reply); }
  std::vector<Figure> figures() override { return {{"distance", plan_.distance}}; }
  std::optional<bool> converged() const override { return plan_.converged; }
  bool may_end_job() const override { return true; }
  bool ends_job() override { return plan_.converged || plan_.stuck; }

  void state(Archive& list) override { list(plan_, done_); }

 private:
  Plan plan_;
  std::uint64_t epochs_;
  std::uint64_t done_ = 0;  // epochs
};

}  // namespace rota::sgd
