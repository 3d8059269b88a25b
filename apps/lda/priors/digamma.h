// apps/lda/priors/digamma.h -- differences of the digamma function psi, and the logarithm that they need.
//
// Learned parameters and scores are part of the model, so both functions use only operations that IEEE 754 rounds in
// one way: the C library's own may differ in the last bit between versions and processors.
#pragma once
#include <cstdint>

namespace rota::lda {

// ln x to about one unit in the last place.  REQUIRES: x positive, finite and not subnormal.
double exact_log(double x);

// psi(x + n) - psi(x) = sum_{i < n} 1 / (x + i).  REQUIRES: x > 0.
double digamma_rise(double x, std::uint64_t n);

}  // namespace rota::lda
