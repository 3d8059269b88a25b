// apps/lda/log_likelihood.h -- the joint log-likelihood log p(words, topics | alpha, beta) and its summands.
//
//   doc    sum_d [ lnG(K alpha) - lnG(N_d + K alpha) + sum_k ( lnG(n_dk + alpha) - lnG(alpha) ) ]
//   word   sum_k [ lnG(V beta) - lnG(n_k + V beta) ] + sum_wk ( lnG(n_wk + beta) - lnG(beta) )
//
// (Griffiths and Steyvers, "Finding scientific topics", PNAS 2004, equations 2 and 3, with lnG = ln Gamma.)
#pragma once
#include <cstdint>
#include <vector>

namespace rota::lda {

// r(n) = lnG(n + a) - lnG(a): every summand above is one of these.  Small n are looked up.
class LogGammaRise {
 public:
  explicit LogGammaRise(double a);

  double operator()(std::uint64_t n) const { return n < rise_.size() ? rise_[n] : direct(n); }

 private:
  double direct(std::uint64_t n) const;

  double a_;
  double start_;  // lnG(a)
  std::vector<double> rise_;
};

}  // namespace rota::lda
