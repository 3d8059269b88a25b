// apps/mf/alternating/row_kernel.cc -- ROTA_MF_ROWS is the name of the function that gives this copy's kernel.
#include "apps/mf/alternating/row_kernel.h"

namespace rota::mf {

const RowKernel& ROTA_MF_ROWS();

namespace {

using Lanes = double __attribute__((vector_size(64)));

[[gnu::always_inline]] inline Lanes load(const double* at) {
  Lanes value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

[[gnu::always_inline]] inline void store(const Lanes& value, double* at) {
  __builtin_memcpy(at, &value, sizeof value);
}

[[gnu::always_inline]] inline double sum(const Lanes& x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

[[gnu::always_inline]] inline double product(const double* a, const double* b, std::size_t width) {
  Lanes sums = {};
  for (std::size_t c = 0; c < width; c += kRowLanes) sums += load(a + c) * load(b + c);
  return sum(sums);
}

// y += s x
[[gnu::always_inline]] inline void add(const double* x, double s, std::size_t width, double* y) {
  for (std::size_t c = 0; c < width; c += kRowLanes) store(load(y + c) + load(x + c) * s, y + c);
}

void products(const double* rows, std::size_t count, std::size_t width, const double* x, double* out) {
  for (std::size_t r = 0; r < count; ++r) out[r] = product(rows + r * width, x, width);
}

// Chunks of kChunks * 8 columns, whose sums stay in registers.
template <std::size_t kChunks>
void combine_columns(const double* rows, std::size_t count, std::size_t width, const double* weights, double* out) {
  Lanes sums[kChunks];
  for (std::size_t c = 0; c < kChunks; ++c) sums[c] = load(out + c * kRowLanes);
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t c = 0; c < kChunks; ++c) sums[c] += load(rows + r * width + c * kRowLanes) * weights[r];
  for (std::size_t c = 0; c < kChunks; ++c) store(sums[c], out + c * kRowLanes);
}

void combine(const double* rows, std::size_t count, std::size_t width, const double* weights, double* out) {
  std::size_t c = 0;
  for (; c + 4 * kRowLanes <= width; c += 4 * kRowLanes) combine_columns<4>(rows + c, count, width, weights, out + c);
  for (; c < width; c += kRowLanes) combine_columns<1>(rows + c, count, width, weights, out + c);
}

void add_squares(const double* rows, const double* scaled, std::size_t count, std::size_t width, double* a) {
  constexpr std::size_t kTile = 4;
  for (std::size_t i = 0; i < width; i += kTile)
    for (std::size_t j = i / kRowLanes * kRowLanes; j < width; j += kRowLanes) {
      Lanes sums[kTile] = {};
      for (std::size_t r = 0; r < count; ++r) {
        const Lanes x = load(rows + r * width + j);
        for (std::size_t t = 0; t < kTile; ++t) sums[t] += x * scaled[r * width + i + t];
      }
      for (std::size_t t = 0; t < kTile; ++t) {
        double* const at = a + (i + t) * width + j;
        store(load(at) + sums[t], at);
      }
    }
}

// a = u' u with u above the diagonal, which takes the place of a.
void solve(double* a, std::size_t size, std::size_t width, double* y) {
  constexpr double kLeast = 1e-300;
  for (std::size_t j = 0; j < size; ++j) {
    double* const row = a + j * width;
    const double pivot = __builtin_sqrt(row[j] > kLeast ? row[j] : kLeast), inverse = 1 / pivot;
    const std::size_t from = j / kRowLanes * kRowLanes;
    for (std::size_t c = from; c < width; c += kRowLanes) store(load(row + c) * inverse, row + c);
    row[j] = pivot;
    y[j] /= pivot;
    for (std::size_t i = j + 1; i < size; ++i) {
      const std::size_t c = i / kRowLanes * kRowLanes;
      add(row + c, -row[i], width - c, a + i * width + c);
      y[i] -= row[i] * y[j];
    }
  }
  for (std::size_t i = size; i-- > 0;) {
    double value = y[i];
    for (std::size_t j = i + 1; j < size; ++j) value -= a[i * width + j] * y[j];
    y[i] = value / a[i * width + i];
  }
}

constexpr RowKernel kKernel = {products, combine, add_squares, solve};

}  // namespace

const RowKernel& ROTA_MF_ROWS() {
  return kKernel;
}

}  // namespace rota::mf
