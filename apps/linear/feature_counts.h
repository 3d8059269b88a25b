// apps/linear/feature_counts.h -- what the rows of the whole data have of each feature, and how its steps are scaled.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/linear/row_options.h"
#include "rota/types.h"

namespace rota::linear {

inline constexpr Key kIntercept = 0;

// How a feature's steps are scaled.
struct FeatureScale {
  float presence = 0;  // rows / rows that have the feature; 0 for an intercept that bears no penalty
  double step = 1;     // see README.md; 1 without --normalized
};

// In the digits of single precision, but with the range of double: scales of small features are large.
inline double in_single_digits(double number) {
  int exponent = 0;
  const double digits = std::frexp(number, &exponent);
  return std::ldexp(static_cast<double>(static_cast<float>(digits)), exponent);
}

// Counted while the rows are read.
class FeatureCounts {
 public:
  void add(std::uint32_t key, double value) {
    if (key >= counts_.size()) grow(key);
    Counts& one = counts_[key];
    one.rows += 1;
    one.squares += value * value;
    one.largest = std::max(one.largest, std::abs(value));
  }

  // REQUIRES: as many keys as were added, at least.
  std::vector<FeatureScale> scales(const RowOptions& settings, std::uint64_t rows, Key keys) const {
    std::vector<FeatureScale> out(keys);
    double energy = 0;  // of all rows, in the units of the largest values
    for (const Counts& one : counts_)
      if (one.largest > 0) energy += one.squares / (one.largest * one.largest);
    const double root = std::sqrt(std::max(energy / static_cast<double>(rows), 1.0));
    for (Key key = 0; key < counts_.size(); ++key) {
      const Counts& one = counts_[key];
      if (one.rows == 0) continue;
      if (key != kIntercept || settings.penalized_intercept)
        out[key].presence = static_cast<float>(static_cast<double>(rows) / one.rows);
      const double unit = one.largest * root;
      if (settings.normalized) out[key].step = in_single_digits(settings.squared_scales ? 1 / (unit * unit) : 1 / unit);
    }
    return out;
  }

  struct Counts {
    double rows = 0, squares = 0, largest = 0;
  };
  // By key; those behind the last have no rows.
  const std::vector<Counts>& all() const { return counts_; }
  std::vector<Counts>& all() { return counts_; }

 private:
  void grow(std::uint32_t key) { counts_.resize(std::max<std::size_t>(key + std::size_t{1}, 2 * counts_.size())); }

  std::vector<Counts> counts_;
};

}  // namespace rota::linear
