// apps/linear/ordered_sum.h -- sums in an order that is part of the result.
#pragma once
#include <algorithm>
#include <cstddef>

namespace rota::linear {

// term(0) + ... + term(count - 1), in four running parts that are added at the end: this keeps the processor's adder
// busy, and the result does not depend on how the compiler vectorises.
template <typename Term>
[[gnu::always_inline]] inline double ordered_sum(std::size_t count, const Term& term) {
  double a = 0, b = 0, c = 0, d = 0;
  std::size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    a += term(k);
    b += term(k + 1);
    c += term(k + 2);
    d += term(k + 3);
  }
  if (k < count) a += term(k);
  if (k + 1 < count) b += term(k + 1);
  if (k + 2 < count) c += term(k + 2);
  return (a + b) + (c + d);
}

// The same for many terms: summed chunk by chunk, so that rounding grows with the number of chunks, and computed a
// chunk at a time, so that the compiler can vectorise the computation.
template <typename Term>
double chunked_sum(std::size_t count, const Term& term) {
  constexpr std::size_t kChunk = 256;
  double terms[kChunk];
  double total = 0;
  for (std::size_t at = 0; at < count; at += kChunk) {
    const std::size_t size = std::min(kChunk, count - at);
    for (std::size_t i = 0; i < size; ++i) terms[i] = term(at + i);
    total += ordered_sum(size, [&](std::size_t i) { return terms[i]; });
  }
  return total;
}

}  // namespace rota::linear
