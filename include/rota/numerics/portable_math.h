// rota/numerics/portable_math.h -- exponential, logarithm and derived functions, the same to the last bit on every
// machine.
//
// The C library's may differ in their last bit between processors; these use only sums and products.  Their error is at
// most about 1e-15.  Inlined, and without the standard library, for sources that are compiled for several processors.
#pragma once
#include <cstdint>

namespace rota {

// e^x for x <= 0; 0 below -700.
[[gnu::always_inline]] inline double exponential(double x) {
  if (!(x > -700)) return 0;
  constexpr double kRound = 0x1.8p52;  // adding it leaves a whole number in the last bits
  const double turns = (x * 0x1.71547652b82fep+0 + kRound) - kRound;
  const double r = (x - turns * 0x1.62e42fee00000p-1) - turns * 0x1.a39ef35793c76p-33;  // ln 2 in two parts
  double sum = 1;
  // The Taylor series; |r| <= ln 2 / 2.
#pragma GCC unroll 13
  for (int n = 13; n > 0; --n) sum = 1 + r * (1.0 / n) * sum;
  const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(turns) + 1023) << 52;
  return sum * __builtin_bit_cast(double, bits);
}

// For positive numbers that are not subnormal.
[[gnu::always_inline]] inline double logarithm(double x) {
  auto bits = __builtin_bit_cast(std::uint64_t, x);
  auto power = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  bits = (bits & 0xfffffffffffffU) | std::uint64_t{1023} << 52;
  auto part = __builtin_bit_cast(double, bits);  // in [1, 2)
  if (part > 0x1.6a09e667f3bcdp+0) {
    part /= 2;
    power += 1;
  }
  const double z = (part - 1) / (part + 1);
  double sum = 0;
#pragma GCC unroll 11
  for (int n = 21; n > 0; n -= 2) sum = 1.0 / n + z * z * sum;  // atanh(z) / z
  return power * 0x1.62e42fefa39efp-1 + 2 * z * sum;
}

// 1 / (1 + e^-x)
[[gnu::always_inline]] inline double sigmoid(double x) {
  const double e = exponential(x < 0 ? x : -x);
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
}

// Minus the logarithm of sigmoid(x).
[[gnu::always_inline]] inline double log_loss_of(double x) {
  const double rest = logarithm(1 + exponential(x < 0 ? x : -x));
  return x < 0 ? rest - x : rest;
}

}  // namespace rota
