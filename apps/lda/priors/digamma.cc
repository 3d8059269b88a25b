#include "apps/lda/priors/digamma.h"

#include <cmath>

namespace rota::lda {

namespace {

constexpr std::uint64_t kAddedUp = 24;  // up to that number, terms are simply added
constexpr double kLarge = 16;           // from here on the series below is exact to the last bits

// psi(x) - ln x, for x >= kLarge (Abramowitz and Stegun, Handbook of Mathematical Functions, 6.3.18).
double below_log(double x) {
  const double y = 1 / (x * x);
  return -0.5 / x - y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132)))));
}

}  // namespace

double exact_log(double x) {
  constexpr double kLn2High = 0x1.62e42fefa38p-1, kLn2Low = 0x1.ef35793c7673p-45;  // the first has room for exponents
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact
  if (m < 0x1.6a09e667f3bcdp-1) {       // sqrt(1/2)
    m *= 2;
    --exponent;
  }
  // ln m = 2 artanh(s), |s| < 0.172
  const double s = (m - 1) / (m + 1), y = s * s;
  double sum = 0;
  for (int n = 23; n >= 3; n -= 2) sum = (sum + 1.0 / n) * y;
  return exponent * kLn2High + (2 * s + (2 * s * sum + exponent * kLn2Low));
}

double digamma_rise(double x, std::uint64_t n) {
  double sum = 0;
  if (n <= kAddedUp) {
    for (std::uint64_t i = 0; i < n; ++i) sum += 1 / (x + static_cast<double>(i));
    return sum;
  }
  const double end = x + static_cast<double>(n);
  while (x < kLarge) {
    sum += 1 / x;
    x += 1;
  }
  return sum + exact_log(end / x) + (below_log(end) - below_log(x));
}

}  // namespace rota::lda
