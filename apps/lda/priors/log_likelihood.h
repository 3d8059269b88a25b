// apps/lda/priors/log_likelihood.h -- the joint log-likelihood log p(words, topics | alpha, beta) and its summands.
//
//   doc    sum_d [ lnG(A) - lnG(N_d + A) + sum_k ( lnG(n_dk + alpha_k) - lnG(alpha_k) ) ]     A = sum_k alpha_k
//   word   sum_k [ lnG(V beta) - lnG(n_k + V beta) ] + sum_wk ( lnG(n_wk + beta) - lnG(beta) )
//
// With m copies of each token, n / m replaces n, and the sum is multiplied by m, as the number of tokens is.
// (Griffiths and Steyvers, "Finding scientific topics", PNAS 2004, equations 2 and 3, with lnG = ln Gamma.)
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/lda/priors/priors.h"

namespace rota::lda {

// r(n) = m (lnG(n / m + a) - lnG(a)): every summand above is one of these.  Small n are looked up.
class LogRisingFactorial {
 public:
  // Looks up n below `table`.
  explicit LogRisingFactorial(double a, std::size_t table, double copies);

  double operator()(std::uint64_t n) const { return n < rise_.size() ? rise_[n] : direct(n); }

 private:
  double direct(std::uint64_t n) const;

  double a_, copies_;
  double start_;  // lnG(a)
  std::vector<double> rise_;
};

// The terms of one pair of priors, over V words.
class PriorTerms {
 public:
  PriorTerms(const Priors& priors, std::uint64_t words, std::uint32_t copies);

  double alpha(std::uint32_t topic, std::uint64_t n) const { return alphas_[alphas_.size() == 1 ? 0 : topic](n); }
  double alpha_sum(std::uint64_t n) const { return alpha_sum_(n); }
  double beta(std::uint64_t n) const { return beta_(n); }
  double v_beta(std::uint64_t n) const { return v_beta_(n); }

 private:
  std::vector<LogRisingFactorial> alphas_;  // a single one if all topics have the same alpha
  LogRisingFactorial alpha_sum_, beta_, v_beta_;
};

}  // namespace rota::lda
