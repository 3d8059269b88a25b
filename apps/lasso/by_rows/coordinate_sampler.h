// apps/lasso/by_rows/coordinate_sampler.h -- draws the coefficients that a round updates: f_1 and f_2 of figure 6 of
// the STRADS paper.
#pragma once
#include <memory>
#include <vector>

#include "apps/lasso/by_rows/messages.h"
#include "apps/lasso/settings.h"
#include "rota/schedules/priority.h"

namespace rota::lasso {

// For one share of the coefficients.  A coefficient's priority is the effect of its last change on the objective,
// change^2 G_jj: for columns of norm 1 that is the paper's.
class CoordinateSampler {
 public:
  // `interference` is the dependency test.  If it is null, nothing interferes, except with Conflicts::group: then all
  // coefficients of a round are one block.
  CoordinateSampler(const Settings& settings, Share share, std::uint32_t staleness, std::uint32_t pipeline,
                    std::unique_ptr<Interference> interference)
      : settings_(settings),
        share_(share),
        staleness_(staleness),
        pipeline_(pipeline),
        interference_(std::move(interference)) {}

  // Sets the curvatures of the columns; called before all else.
  void set_curvatures(std::vector<double> curvatures);
  // Adds coefficients to a round, after the intercept.
  void draw(Round& round, Random& random);
  // The result of a round with drawn coefficients.
  void feedback(const Commit& commit);
  // Sets all priorities from a screen of all coefficients, when nothing is in flight.
  void set_priorities(const RowsCertificate& look, std::uint32_t batch);

  std::vector<Figure> figures() { return draws_ ? draws_->figures() : std::vector<Figure>(); }
  void save(Writer& out) const;
  void restore(Reader& in, std::uint32_t batch);

 private:
  Key first() const { return curvatures_.size() * share_.index / share_.count; }
  Key end() const { return curvatures_.size() * (share_.index + 1) / share_.count; }

  Settings settings_;
  Share share_;
  std::uint32_t staleness_, pipeline_;
  std::unique_ptr<Interference> interference_;  // until there are draws
  std::vector<double> curvatures_;              // G_jj of every column
  double largest_gain_ = 1;                     // at the last screen: the unit of changes in feedback
  std::unique_ptr<PrioritySchedule> draws_;
};

}  // namespace rota::lasso
