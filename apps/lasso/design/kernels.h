// apps/lasso/design/kernels.h -- the inner loops over one column of the design matrix, sparse or dense.
//
// Values have single or double precision; all sums have double precision and one fixed order, for both types of values:
// partial sums over the positions that are equal modulo the number of lanes, which are then added in pairs.  The order
// is written out, so that the compiler cannot change a result.
#pragma once
#include <cstddef>
#include <cstdint>

#include "apps/linear_models/ordered_sum.h"

namespace rota::lasso {

// A sparse column: values[k] is in row rows[k], ascending.
template <typename T>
struct SparseColumn {
  const std::uint32_t* rows;
  const T* values;
  std::size_t entries;
};
// A dense column: values[i] is in row i.
template <typename T>
struct DenseColumn {
  const T* values;
  std::size_t rows;
};

// Two lanes that the processor computes at once.
using TwoDoubles = double __attribute__((vector_size(16)));
[[gnu::always_inline]] inline TwoDoubles two(const double* at) {
  TwoDoubles v;
  __builtin_memcpy(&v, at, sizeof v);
  return v;
}
[[gnu::always_inline]] inline TwoDoubles two(const float* at) {
  return TwoDoubles{static_cast<double>(at[0]), static_cast<double>(at[1])};
}

// The sum of term(i) over i = 0 .. count-1, in eight lanes; terms(i) gives term(i) and term(i + 1).
template <typename Terms, typename Term>
[[gnu::always_inline]] inline double in_eight_lanes(std::size_t count, Terms terms, Term term) {
  TwoDoubles a{}, b{}, c{}, d{};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    a += terms(i);
    b += terms(i + 2);
    c += terms(i + 4);
    d += terms(i + 6);
  }
  const TwoDoubles sum = (a + b) + (c + d);
  return (sum[0] + sum[1]) + linear::ordered_sum(count - i, [&](std::size_t k) { return term(i + k); });
}

// The sum of term(x_i, g_i) over the column's positions, where `g` are arrays with a number for every row.
template <typename T, typename Term, typename... Rows>
[[gnu::always_inline]] inline double sum_over(const SparseColumn<T>& x, Term term, const Rows*... g) {
  return linear::ordered_sum(x.entries,
                             [&](std::size_t k) { return term(static_cast<double>(x.values[k]), g[x.rows[k]]...); });
}
template <typename T, typename Term, typename... Rows>
[[gnu::always_inline]] inline double sum_over(const DenseColumn<T>& x, Term term, const Rows*... g) {
  return in_eight_lanes(
      x.rows, [&](std::size_t i) { return term(two(x.values + i), two(g + i)...); },
      [&](std::size_t i) { return term(static_cast<double>(x.values[i]), g[i]...); });
}

[[gnu::always_inline]] inline double dot_of(const auto& x, const double* g) {
  return sum_over(
      x, [](auto value, auto at) { return value * at; }, g);
}
// Each term is w x x, multiplied in this order.
double weighted_norm2_of(const auto& x, const double* w) {
  return sum_over(
      x, [](auto value, auto weight) { return weight * value * value; }, w);
}

template <typename T>
[[gnu::always_inline]] inline void axpy_of(const SparseColumn<T>& x, double a, double* r) {
  for (std::size_t k = 0; k < x.entries; ++k) r[x.rows[k]] += a * static_cast<double>(x.values[k]);
}
template <typename T>
[[gnu::always_inline]] inline void axpy_of(const DenseColumn<T>& x, double a, double* r) {
  for (std::size_t i = 0; i < x.rows; ++i) r[i] += a * static_cast<double>(x.values[i]);
}

}  // namespace rota::lasso
