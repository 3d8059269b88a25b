// apps/lasso/by_columns/schedule.h -- the schedule of the working set: the support and the columns nearest to entering
// it are solved in one place; then all columns are screened, and the set grows, until the duality gap is small enough.
//
// Working sets: Johnson and Guestrin, "Blitz: A principled meta-algorithm for scaling sparse optimization", ICML 2015;
// Massias, Gramfort and Salmon, "Celer: a fast solver for the Lasso with dual extrapolation", ICML 2018.
#pragma once
#include <deque>
#include <set>
#include <vector>

#include "apps/lasso/by_columns/messages.h"
#include "apps/lasso/fit_sequence.h"
#include "rota/schedule.h"

namespace rota::lasso {

class WorkingSetSchedule final : public Schedule {
 public:
  explicit WorkingSetSchedule(const Settings& settings);

  // Every round needs the results of the previous one.
  std::uint32_t pipeline(std::uint32_t) const override { return 1; }
  Round next(Random&) override;
  void feedback(const Commit& commit) override;
  std::vector<Figure> figures() override;
  std::optional<bool> converged() const override { return sequence_.converged(); }
  void save(Writer& out) const override;
  void restore(Reader& in) override;

 private:
  void plan_start();
  void plan_screen();
  void plan_solve(double least);
  void plan_record();
  void grow(bool new_penalty);
  void go_on();
  std::size_t most_wanted() const;

  Settings settings_;
  FitSequence sequence_;
  std::deque<Round> planned_;
  std::set<Key> working_;      // columns that the solver has
  std::vector<Key> support_;   // those of them that are not zero
  std::vector<Key> entering_;  // those that the next solve adds
  Certificate certificate_;    // the last
  double inner_share_;         // share of the gap at which the working set counts as solved
  std::uint32_t screens_ = 0;  // of the current fit
};

}  // namespace rota::lasso
