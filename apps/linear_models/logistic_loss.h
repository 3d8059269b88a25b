// apps/linear_models/logistic_loss.h -- the logistic loss log(1 + exp(-t)) and its slope, in operations that every
// processor rounds alike.
//
// The C library selects its exp and log by the processor, and those differ in the last bit.  These do not; they are
// exact to a few units in the last place, and the compiler can vectorise loops over them.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

namespace rota::linear {

// a if the sign bit of x is set, else b.  A comparison would prevent vectorisation, because it might trap.
inline double if_negative(double x, double a, double b) {
  const std::uint64_t mask = 0 - (std::bit_cast<std::uint64_t>(x) >> 63);
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(a) & mask) | (std::bit_cast<std::uint64_t>(b) & ~mask));
}
inline double larger(double a, double b) {
  return if_negative(a - b, b, a);
}

// exp(-t) for t >= 0 with 2^k taken out: exp(-t) = 2^k exp(r), |r| <= ln(2) / 2.  From 708 on as if t were 708, so that
// the result stays a normal number.
struct PowerOfTwoOut {
  double r;
  std::uint64_t exponent;  // k, as a change of a double's bits
};
inline PowerOfTwoOut take_power_of_two_out(double t) {
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;  // sum: ln 2; k * high is exact
  constexpr double kShift = 0x1.8p52;  // adding it leaves round(z) in the low bits
  constexpr double kMost = 708;
  const double x = if_negative(t - kMost, -t, -kMost);
  const double shifted = x * kLog2E + kShift;
  const double k = shifted - kShift;
  return {(x - k * kLn2High) - k * kLn2Low, std::bit_cast<std::uint64_t>(shifted) << 52};
}
inline double with_power_of_two(double value, std::uint64_t exponent) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) + exponent);
}

// exp(-t) for t >= 0.
inline double exp_of_minus(double t) {
  const auto [r, exponent] = take_power_of_two_out(t);
  // The Taylor series of exp; the remainder is below 2^-57.
  double sum = 1.0 / 6227020800.0;
  sum = sum * r + 1.0 / 479001600.0;
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r * r + r + 1.0;
  return with_power_of_two(sum, exponent);
}

// log((1 + s) / (1 - s)) = 2 (s + s^3 / 3 + s^5 / 5 + ...) for |s| <= 1/3; the relative remainder is below 2^-58.
inline double log_of_ratio(double s) {
  const double x = s * s;
  double sum = 1.0 / 33.0;
  sum = sum * x + 1.0 / 31.0;
  sum = sum * x + 1.0 / 29.0;
  sum = sum * x + 1.0 / 27.0;
  sum = sum * x + 1.0 / 25.0;
  sum = sum * x + 1.0 / 23.0;
  sum = sum * x + 1.0 / 21.0;
  sum = sum * x + 1.0 / 19.0;
  sum = sum * x + 1.0 / 17.0;
  sum = sum * x + 1.0 / 15.0;
  sum = sum * x + 1.0 / 13.0;
  sum = sum * x + 1.0 / 11.0;
  sum = sum * x + 1.0 / 9.0;
  sum = sum * x + 1.0 / 7.0;
  sum = sum * x + 1.0 / 5.0;
  sum = sum * x + 1.0 / 3.0;
  return 2 * s + 2 * s * (x * sum);
}

// log(x) for a positive normal x.
inline double log_of(double x) {
  constexpr double kLn2 = 0.6931471805599453;
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcdU;  // the bits of sqrt(1/2)
  constexpr std::uint64_t kBias = 1024;                     // makes the shifted value positive
  constexpr double kShift = 0x1.8p52;                       // a small integer added to its bits is added to its value
  // x = 2^k m with m in [sqrt(1/2), sqrt(2)).
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t k = ((bits - kRootHalf + (kBias << 52)) >> 52) - kBias;
  const double m = std::bit_cast<double>(bits - (k << 52));
  const double exponent = std::bit_cast<double>(std::bit_cast<std::uint64_t>(kShift) + k) - kShift;
  return log_of_ratio((m - 1) / (m + 1)) + exponent * kLn2;
}

// Of a row with margin t = y f: its loss log(1 + exp(-t)), p = 1 / (1 + exp(t)), which is minus the loss's slope in t,
// and 1 - p, which keeps its digits when p is near 1.
struct LogisticRow {
  double loss, p, rest;
};

inline LogisticRow logistic_row(double t) {
  const double e = exp_of_minus(std::abs(t));
  const double small = e / (1 + e), large = 1 / (1 + e);
  const double loss = log_of_ratio(e / (2 + e)) + if_negative(t, -t, 0);
  return {loss, if_negative(t, large, small), if_negative(t, small, large)};
}

}  // namespace rota::linear
