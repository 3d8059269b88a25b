// apps/lasso/by_rows/schedule.h -- the first step when shards are ranges of rows: schedule of figure 6 of the STRADS
// paper.
#pragma once
#include <memory>

#include "apps/lasso/by_rows/coordinate_sampler.h"
#include "apps/lasso/by_rows/fit_controller.h"

namespace rota::lasso {

class RowsSchedule final : public Schedule {
 public:
  // `interference`: see CoordinateSampler.
  RowsSchedule(const Settings& settings, const Job& job, Share share, std::unique_ptr<Interference> interference);

  std::uint32_t pipeline(std::uint32_t wish) const override;
  Round next(Random& random) override;
  void feedback(const Commit& commit) override;
  std::vector<Figure> figures() override;
  std::optional<bool> converged() const override { return controller_.converged(); }
  void save(Writer& out) const override;
  void restore(Reader& in) override;

 private:
  std::uint32_t staleness_;
  FitController controller_;
  CoordinateSampler sampler_;
};

}  // namespace rota::lasso
