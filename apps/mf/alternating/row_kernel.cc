#include "apps/mf/alternating/row_kernel.h"

#include "rota/numerics/widest_registers.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors pass between functions of this file only, all of them inlined

namespace rota::mf {
namespace {

// Half of the lanes: compilers keep wider vectors of a processor without AVX-512 on the stack.
using Half = double __attribute__((vector_size(32)));
constexpr std::size_t kHalf = kRowLanes / 2;

[[gnu::always_inline]] inline Half load_half(const double* at) {
  Half value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

[[gnu::always_inline]] inline void store_half(const Half& value, double* at) {
  __builtin_memcpy(at, &value, sizeof value);
}

[[gnu::always_inline]] inline double product(const double* a, const double* b, std::size_t width) {
  Half low = {}, high = {};
  for (std::size_t c = 0; c < width; c += kRowLanes) {
    low += load_half(a + c) * load_half(b + c);
    high += load_half(a + c + kHalf) * load_half(b + c + kHalf);
  }
  low += high;
  return (low[0] + low[2]) + (low[1] + low[3]);
}

// kChunks * 4 columns, whose sums stay in registers.
template <std::size_t kChunks>
[[gnu::always_inline]] inline void combine_columns(const double* rows, std::size_t count, std::size_t width,
                                                   const double* weights, double* out) {
  Half sums[kChunks];
  for (std::size_t c = 0; c < kChunks; ++c) sums[c] = load_half(out + c * kHalf);
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t c = 0; c < kChunks; ++c) sums[c] += load_half(rows + r * width + c * kHalf) * weights[r];
  for (std::size_t c = 0; c < kChunks; ++c) store_half(sums[c], out + c * kHalf);
}

}  // namespace

ROTA_WIDEST_REGISTERS void products(const double* rows, std::size_t count, std::size_t width, const double* x,
                                    double* out) {
  for (std::size_t r = 0; r < count; ++r) out[r] = product(rows + r * width, x, width);
}

ROTA_WIDEST_REGISTERS void combine(const double* rows, std::size_t count, std::size_t width, const double* weights,
                                   double* out) {
  std::size_t c = 0;
  for (; c + 4 * kRowLanes <= width; c += 4 * kRowLanes) combine_columns<8>(rows + c, count, width, weights, out + c);
  for (; c < width; c += kRowLanes) combine_columns<2>(rows + c, count, width, weights, out + c);
}

ROTA_WIDEST_REGISTERS void add_squares(const double* rows, const double* scaled, std::size_t count, std::size_t width,
                                       double* a) {
  constexpr std::size_t kTile = 4;
  for (std::size_t i = 0; i < width; i += kTile)
    for (std::size_t j = i / kRowLanes * kRowLanes; j < width; j += kRowLanes) {
      Half low[kTile] = {}, high[kTile] = {};
      for (std::size_t r = 0; r < count; ++r) {
        const Half x = load_half(rows + r * width + j), y = load_half(rows + r * width + j + kHalf);
        for (std::size_t t = 0; t < kTile; ++t) {
          low[t] += x * scaled[r * width + i + t];
          high[t] += y * scaled[r * width + i + t];
        }
      }
      for (std::size_t t = 0; t < kTile; ++t) {
        double* const at = a + (i + t) * width + j;
        store_half(load_half(at) + low[t], at);
        store_half(load_half(at + kHalf) + high[t], at + kHalf);
      }
    }
}

// a = u' u with u above the diagonal, which replaces a.  If a pivot vanishes, its number is undetermined and becomes 0.
ROTA_WIDEST_REGISTERS void solve(double* a, std::size_t size, std::size_t width, double* y) {
  for (std::size_t j = 0; j < size; ++j) {
    double* const row = a + j * width;
    const bool open = row[j] <= 0;
    const double pivot = open ? 1 : __builtin_sqrt(row[j]), inverse = open ? 0 : 1 / pivot;
    for (std::size_t c = j / kHalf * kHalf; c < width; c += kHalf) store_half(load_half(row + c) * inverse, row + c);
    row[j] = pivot;
    y[j] = open ? 0 : y[j] / pivot;
    for (std::size_t i = j + 1; i < size; ++i) {
      const double times = row[i];
      double* const other = a + i * width;
      for (std::size_t c = i / kHalf * kHalf; c < width; c += kHalf)
        store_half(load_half(other + c) - load_half(row + c) * times, other + c);
      y[i] -= times * y[j];
    }
  }
  for (std::size_t i = size; i-- > 0;) {
    double value = y[i];
    for (std::size_t j = i + 1; j < size; ++j) value -= a[i * width + j] * y[j];
    y[i] = value / a[i * width + i];
  }
}

}  // namespace rota::mf
