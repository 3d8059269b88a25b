// apps/lda/priors/log_likelihood.cc
#include "apps/lda/priors/log_likelihood.h"

#include <math.h>  // lgamma_r is not in <cmath>

namespace rota::lda {
namespace {

constexpr std::size_t kTable = 2048;
constexpr std::size_t kTableOfTopic = 64;  // if each topic has its own table

// std::lgamma writes the global signgam, so threads may not share it.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace

LogRisingFactorial::LogRisingFactorial(double a, std::size_t table, double copies)
    : a_(a), copies_(copies), start_(log_gamma(a)), rise_(table) {
  for (std::size_t n = 1; n < table; ++n) rise_[n] = direct(n);
}

PriorTerms::PriorTerms(const Priors& priors, std::uint64_t words, std::uint32_t copies)
    : alpha_sum_(priors.alpha_sum(), kTable, copies),
      beta_(priors.beta, kTable, copies),
      v_beta_(priors.beta * static_cast<double>(words), kTable, copies) {
  if (priors.symmetric()) {
    alphas_.emplace_back(priors.alphas.front(), kTable, copies);
    return;
  }
  for (const double alpha : priors.alphas) alphas_.emplace_back(alpha, kTableOfTopic, copies);
}

double LogRisingFactorial::direct(std::uint64_t n) const {
  return copies_ * (log_gamma(static_cast<double>(n) / copies_ + a_) - start_);
}

}  // namespace rota::lda
