#include "apps/linear_models/logistic_rows.h"

#include <algorithm>
#include <cstddef>

#include "apps/linear_models/logistic_loss.h"
#include "apps/linear_models/ordered_sum.h"
#include "rota/numerics/widest_registers.h"

namespace rota::linear {
namespace {

constexpr double kSmallest = 1e-300;
constexpr std::size_t kChunk = 256;

struct Margins {
  const double *y, *f;
  double shift;
};

ROTA_WIDEST_REGISTERS void rows_of(std::size_t count, const Margins& at, double* __restrict loss, double* __restrict p,
                                   double* __restrict rest) {
  const double* const __restrict y = at.y, * const __restrict f = at.f;
  const double shift = at.shift;
  for (std::size_t i = 0; i < count; ++i) {
    const LogisticRow row = logistic_row(y[i] * (f[i] + shift));
    loss[i] = row.loss;
    p[i] = row.p;
    rest[i] = row.rest;
  }
}

struct Share {
  double a, log_a;
};

ROTA_WIDEST_REGISTERS void terms_of(std::size_t count, const Share& share, const double* __restrict w,
                                    const double* __restrict p, const double* __restrict rest,
                                    double* __restrict terms) {
  const double a = share.a, log_a = share.log_a;
  for (std::size_t i = 0; i < count; ++i) {
    // 1 - a p, as (1 - p) + (1 - a) p; if that is 0, 0 log 0 = 0.
    const double left = larger(rest[i] + (1 - a) * p[i], kSmallest);
    terms[i] = w[i] * larger(a * p[i] * log_a + left * log_of(left / rest[i]), 0);
  }
}

}  // namespace

void logistic_rows(std::span<const double> y, std::span<const double> f, double shift, const LogisticRows& out) {
  rows_of(y.size(), {y.data(), f.data(), shift}, out.loss.data(), out.p.data(), out.rest.data());
}

double divergence_of_share(double a, std::span<const double> w, std::span<const double> p,
                           std::span<const double> rest) {
  const Share share{a, a > 0 ? log_of(a) : 0};
  double terms[kChunk];
  double total = 0;
  for (std::size_t at = 0; at < w.size(); at += kChunk) {
    const std::size_t count = std::min(kChunk, w.size() - at);
    terms_of(count, share, w.data() + at, p.data() + at, rest.data() + at, terms);
    total += ordered_sum(count, [&](std::size_t i) { return terms[i]; });
  }
  return total;
}

}  // namespace rota::linear
