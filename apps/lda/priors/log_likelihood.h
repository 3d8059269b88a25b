// apps/lda/priors/log_likelihood.h -- the joint log-likelihood log p(words, topics | alpha, beta) and its summands.
//
//   doc    sum_d [ lnG(A) - lnG(N_d + A) + sum_k ( lnG(n_dk + alpha_k) - lnG(alpha_k) ) ]     A = sum_k alpha_k
//   word   sum_k [ lnG(V beta) - lnG(n_k + V beta) ] + sum_wk ( lnG(n_wk + beta) - lnG(beta) )
//
// With m copies of each token, n / m replaces n, and the sum is multiplied by m, as the number of tokens is.
// (Griffiths and Steyvers, "Finding scientific topics", PNAS 2004, equations 2 and 3, with lnG = ln Gamma.)
#pragma once
#include <math.h>  // lgamma_r is not in <cmath>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/lda/priors/priors.h"

namespace rota::lda {

// r(n) = m (lnG(n / m + a) - lnG(a)): every summand above is one of these.  Small n are looked up.
class LogRisingFactorial {
 public:
  // Looks up n below `table`.
  LogRisingFactorial(double a, std::size_t table, double copies)
      : a_(a), copies_(copies), start_(log_gamma(a)), rise_(table) {
    for (std::size_t n = 1; n < table; ++n) rise_[n] = direct(n);
  }

  double operator()(std::uint64_t n) const { return n < rise_.size() ? rise_[n] : direct(n); }

 private:
  // std::lgamma writes the global signgam, so threads may not share it.
  static double log_gamma(double x) {
    int sign = 0;
    return ::lgamma_r(x, &sign);
  }
  double direct(std::uint64_t n) const { return copies_ * (log_gamma(static_cast<double>(n) / copies_ + a_) - start_); }

  double a_, copies_;
  double start_;  // lnG(a)
  std::vector<double> rise_;
};

// The summands of one pair of priors, over V words.
class PriorTerms {
 public:
  PriorTerms(const Priors& priors, std::uint64_t words, std::uint32_t copies)
      : alpha_sum(priors.alpha_sum(), kTable, copies),
        beta(priors.beta, kTable, copies),
        v_beta(priors.beta * static_cast<double>(words), kTable, copies) {
    if (priors.symmetric())
      alphas_.emplace_back(priors.alphas.front(), kTable, copies);
    else
      for (const double alpha : priors.alphas) alphas_.emplace_back(alpha, kTableOfTopic, copies);
  }
  double alpha(std::uint32_t topic, std::uint64_t n) const { return alphas_[alphas_.size() == 1 ? 0 : topic](n); }

  LogRisingFactorial alpha_sum, beta, v_beta;

 private:
  static constexpr std::size_t kTable = 2048;
  static constexpr std::size_t kTableOfTopic = 64;  // if each topic has its own table

  std::vector<LogRisingFactorial> alphas_;  // a single one if all topics have the same alpha
};

}  // namespace rota::lda
