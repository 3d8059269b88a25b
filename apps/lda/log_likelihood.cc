// apps/lda/log_likelihood.cc
#include "apps/lda/log_likelihood.h"

#include <math.h>  // lgamma_r is not in <cmath>

namespace rota::lda {
namespace {

constexpr std::size_t kTable = 2048;

// std::lgamma writes the global signgam, so threads may not share it.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace

LogGammaRise::LogGammaRise(double a) : a_(a), start_(log_gamma(a)), rise_(kTable) {
  for (std::size_t n = 1; n < kTable; ++n) rise_[n] = direct(n);
}

double LogGammaRise::direct(std::uint64_t n) const {
  return log_gamma(static_cast<double>(n) + a_) - start_;
}

}  // namespace rota::lda
