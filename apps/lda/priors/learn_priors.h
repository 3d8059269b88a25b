// apps/lda/priors/learn_priors.h -- alpha and beta that maximise the likelihood of the tokens' topics.
//
// Fixed-point iterations (Minka, "Estimating a Dirichlet distribution", 2000, equation 55) from histograms of the
// counts (Wallach, "Structured topic models for language", thesis, Cambridge 2008, section 2.3).  With A = sum_k
// alpha_k and psi the digamma function,
//
//   alpha_k  <-  (alpha_k sum_d [psi(n_dk + alpha_k) - psi(alpha_k)] + c) / (sum_d [psi(N_d + A) - psi(A)] + 1)
//   beta     <-  (beta sum_wk [psi(n_wk + beta) - psi(beta)] + c) / (V sum_k [psi(n_k + V beta) - psi(V beta)] + 1)
//
// c and 1 are those of a Gamma(1 + c, 1) prior, so weak that it matters only for a topic without tokens, whose alpha
// becomes small but not 0.  With one alpha for all topics the sum over d is over d and k, and the denominator's sum is
// multiplied by K.
#pragma once
#include "apps/lda/priors/prior_statistics.h"
#include "apps/lda/priors/priors.h"

namespace rota::lda {

struct WhichPriors {
  bool alpha = false;
  bool one_alpha = false;  // for all topics
  bool beta = false;
};

// REQUIRES: statistics.common.  A parameter that is not to be learned stays unchanged.
Priors learned_priors(const PriorStatistics& statistics, WhichPriors which);

}  // namespace rota::lda
