// apps/lda/priors/log_likelihood.cc
#include "apps/lda/priors/log_likelihood.h"

#include <math.h>  // lgamma_r is not in <cmath>

namespace rota::lda {
namespace {

constexpr std::size_t kTableOfTopic = 64;  // if each topic has its own table

// std::lgamma writes the global signgam, so threads may not share it.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace

LogRisingFactorial::LogRisingFactorial(double a, std::size_t table) : a_(a), start_(log_gamma(a)), rise_(table) {
  for (std::size_t n = 1; n < table; ++n) rise_[n] = direct(n);
}

PriorTerms::PriorTerms(const Priors& priors, std::uint64_t words)
    : alpha_sum_(priors.alpha_sum()), beta_(priors.beta), v_beta_(priors.beta * static_cast<double>(words)) {
  if (priors.symmetric()) {
    alphas_.emplace_back(priors.alphas.front());
    return;
  }
  for (const double alpha : priors.alphas) alphas_.emplace_back(alpha, kTableOfTopic);
}

double LogRisingFactorial::direct(std::uint64_t n) const {
  return log_gamma(static_cast<double>(n) + a_) - start_;
}

}  // namespace rota::lda
