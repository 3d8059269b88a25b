// io/decimal.cc
#include "rota/io/decimal.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace rota::io {
namespace {

bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') <= 9;
}

// Whether a number that from_chars() found out of range is below 1.  Decided by the sign of its decimal exponent.
bool is_tiny(std::string_view token) {
  long exponent = 0;  // of the first digit that is not 0
  bool significant = false, behind_point = false;
  std::size_t i = 0;
  for (; i < token.size() && (is_digit(token[i]) || token[i] == '.'); ++i) {
    if (token[i] == '.') {
      behind_point = true;
      continue;
    }
    significant = significant || token[i] != '0';
    if (significant && !behind_point) ++exponent;
    if (!significant && behind_point) --exponent;
  }
  if (i == token.size()) return exponent <= 0;
  const char* from = token.data() + i + 1;
  if (*from == '+') ++from;
  long written = 0;
  const auto [at, error] = std::from_chars(from, token.data() + token.size(), written);
  if (error == std::errc::result_out_of_range) return *from == '-';
  return written < -exponent;
}

}  // namespace

namespace decimal {

double divided(std::uint64_t mantissa, unsigned places) {
  __extension__ using Wide = unsigned __int128;
  const int mantissa_shift = std::countl_zero(mantissa), power_shift = std::countl_zero(kPowers[places]);
  const Wide dividend = static_cast<Wide>(mantissa << mantissa_shift) << 63;
  const std::uint64_t divisor = kPowers[places] << power_shift;
  // Of 63 or 64 bits, since dividend and divisor have their highest bits set.
  const auto quotient = static_cast<std::uint64_t>(dividend / divisor);
  const bool exact = static_cast<std::uint64_t>(dividend % divisor) == 0;
  const int excess = 64 - std::countl_zero(quotient) - 53;
  std::uint64_t rounded = quotient >> excess;
  const std::uint64_t rest = quotient & ((std::uint64_t{1} << excess) - 1), half = std::uint64_t{1} << (excess - 1);
  if (rest > half || (rest == half && (!exact || (rounded & 1) != 0))) ++rounded;
  const int exponent = excess - 63 + power_shift - mantissa_shift;
  return static_cast<double>(rounded) * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

}  // namespace decimal

bool parse_number(std::string_view token, double& value) {
  const bool negative = token.starts_with('-');
  const std::string_view magnitude = token.substr(negative || token.starts_with('+') ? 1 : 0);
  // Keeps out what from_chars() also takes: infinities, NaNs, and a second sign.
  if (magnitude.empty() || !(is_digit(magnitude[0]) || magnitude[0] == '.')) return false;
  double read = 0;
  const auto [at, error] = std::from_chars(magnitude.data(), magnitude.data() + magnitude.size(), read);
  if (at != magnitude.data() + magnitude.size()) return false;
  if (error == std::errc::result_out_of_range && is_tiny(magnitude))
    read = 0;
  else if (error != std::errc{} || !std::isfinite(read))
    return false;
  value = negative ? -read : read;
  return true;
}

}  // namespace rota::io
