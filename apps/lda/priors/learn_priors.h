// apps/lda/priors/learn_priors.h -- alpha and beta that make the topics of the tokens most likely.
//
// Fixed-point iterations (Minka, "Estimating a Dirichlet distribution", 2000, equation 55) from histograms of the
// counts (Wallach, "Structured topic models for language", thesis, Cambridge 2008, section 2.3).  With A = sum_k
// alpha_k and psi the digamma function,
//
//   alpha_k  <-  (alpha_k sum_d [psi(n_dk + alpha_k) - psi(alpha_k)] + c) / (sum_d [psi(N_d + A) - psi(A)] + 1)
//   beta     <-  (beta sum_wk [psi(n_wk + beta) - psi(beta)] + c) / (V sum_k [psi(n_k + V beta) - psi(V beta)] + 1)
//
// c and 1 are those of a Gamma(1 + c, 1) prior, so weak that it matters only for a topic without tokens: its alpha then
// becomes small but not 0.  One alpha for all topics: the sum over d is one over d and k too, and the other one is K
// times as large.
#pragma once
#include "apps/lda/priors/prior_statistics.h"
#include "apps/lda/priors/priors.h"

namespace rota::lda {

struct WhichPriors {
  bool alpha = false;
  bool one_alpha = false;  // for all topics
  bool beta = false;
};

// REQUIRES: statistics.has_common.  What is not to be learned stays as it is.
Priors learned_priors(const PriorStatistics& statistics, WhichPriors which);

}  // namespace rota::lda
