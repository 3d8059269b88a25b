// apps/linear_models/ordered_sum.h -- sums in an order that is part of the result.
#pragma once
#include <algorithm>
#include <cstddef>

namespace rota::linear {

// term(0) + ... + term(count - 1), in four running parts that are added at the end: this keeps the processor's adder
// busy, and the result does not depend on how the compiler vectorises.
template <typename Term>
double ordered_sum(std::size_t count, const Term& term) {
  double part[4] = {0, 0, 0, 0};
  const std::size_t whole = count / 4 * 4;
  for (std::size_t i = 0; i < whole; i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) part[lane] += term(i + lane);
  for (std::size_t i = whole; i < count; ++i) part[i - whole] += term(i);
  return (part[0] + part[1]) + (part[2] + part[3]);
}

inline constexpr std::size_t kSumChunk = 256;

// The same for many terms: summed chunk by chunk, so that rounding grows with the number of chunks, and computed a
// chunk at a time, so that the compiler can vectorise the computation.
template <typename Term>
double chunked_sum(std::size_t count, const Term& term) {
  double terms[kSumChunk];
  double total = 0;
  for (std::size_t at = 0; at < count; at += kSumChunk) {
    const std::size_t size = std::min(kSumChunk, count - at);
    for (std::size_t i = 0; i < size; ++i) terms[i] = term(at + i);
    total += ordered_sum(size, [&](std::size_t i) { return terms[i]; });
  }
  return total;
}

}  // namespace rota::linear
