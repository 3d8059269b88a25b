#include "apps/mf/ccd/ccd_push.h"

namespace rota::mf {

Factors CcdPush::factors(std::uint32_t side) const {
  const std::size_t rows = whole_->rows(side), rank = settings_.rank;
  const auto turn = [&](LineVector<double>& out) {
    out.resize(rows * rank);
    for (std::size_t k = 0; k < rank; ++k)
      for (std::size_t i = 0; i < rows; ++i) out[i * rank + k] = factor(side, k)[i];
  };
  return {whole_->made[side].of(views_[side].version(), turn), views_[side].version()};
}

void CcdPush::leave_out(std::uint32_t side, std::size_t k) {
  const RatingRows& ratings = ratings_.of[side];
  const std::uint32_t partners = kItemSide - side;
  const double *const own = factor(side, k), *const others = factor(partners, k);
  const double* const own_before = k > 0 ? factor(side, k - 1) : nullptr;
  const double* const others_before = k > 0 ? factor(partners, k - 1) : nullptr;
  for (std::size_t i = 0; i < ratings.rows(); ++i) {
    const double x = own[ratings.first + i], before = k > 0 ? own_before[ratings.first + i] : 0;
    double* residual = residuals_[side].data() + ratings.begins[i];
    for (const Partner& one : ratings.row(i)) {
      if (k > 0) *residual -= before * others_before[one.number];
      *residual++ += x * others[one.number];
    }
  }
}

}  // namespace rota::mf
