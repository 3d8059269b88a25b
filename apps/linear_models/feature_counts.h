// apps/linear_models/feature_counts.h -- the statistics of each feature over the rows of the whole data, the scale of
// its steps, and its origin.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "apps/linear_models/settings.h"
#include "rota/types.h"

namespace rota::linear {

inline constexpr double kSmallestScale = std::numeric_limits<float>::min();  // of a feature's largest value

// How a feature's steps are scaled.
struct FeatureScale {
  float presence = 0;  // rows / rows that have the feature; 0 for an intercept that bears no penalty
  double step = 1;     // see README.md; 1 without --normalized
};

// Rounded to the digits of single precision, with the range of double: scales of small features are large.
inline double in_single_digits(double number) {
  int exponent = 0;
  const double digits = std::frexp(number, &exponent);
  return std::ldexp(static_cast<double>(static_cast<float>(digits)), exponent);
}

// The values that are subtracted from columns far from 0: one for each, the same on all shards.  With an unpenalised
// intercept, subtracting a constant from a column does not change the model.
struct Origins {
  std::vector<std::uint32_t> keys;  // of those columns, ascending
  std::vector<double> values;       // none is 0

  bool empty() const { return keys.empty(); }
  double operator[](Key key) const {
    const auto at = std::ranges::lower_bound(keys, key);
    return at != keys.end() && *at == key ? values[static_cast<std::size_t>(at - keys.begin())] : 0;
  }
  void fields(auto& list) {
    list(keys, values);
    list.check(keys.size() == values.size() && std::ranges::adjacent_find(keys, std::greater_equal<>()) == keys.end() &&
               (keys.empty() || (keys.front() > kIntercept && keys.back() <= kMostFeatures)) &&
               std::ranges::all_of(values, [](double value) { return std::isfinite(value) && value != 0; }));
  }
};

// Counted while the rows are read.
class FeatureCounts {
 public:
  void add(std::uint32_t key, double value) {
    if (key >= counts_.size()) grow(key);
    Counts& one = counts_[key];
    one.rows += 1;
    one.sum += value;
    one.squares += value * value;
    one.least = std::min(one.least, value);
    one.most = std::max(one.most, value);
  }

  // REQUIRES: at least the number of keys that were added.
  std::vector<FeatureScale> scales(const Settings& settings, std::uint64_t rows, Key keys) const {
    std::vector<FeatureScale> out(keys);
    double energy = 0;  // of all rows, in the features' units
    for (const Counts& one : counts_)
      if (one.rows > 0) energy += one.squares / (one.unit(settings) * one.unit(settings));
    const double root = std::sqrt(std::max(energy / static_cast<double>(rows), 1.0));
    for (Key key = 0; key < counts_.size(); ++key) {
      const Counts& one = counts_[key];
      if (one.rows == 0) continue;
      if (key != kIntercept || settings.penalized_intercept)
        out[key].presence = static_cast<float>(static_cast<double>(rows) / one.rows);
      const double unit = one.unit(settings) * root;
      if (settings.normalized) out[key].step = in_single_digits(settings.squared_scales ? 1 / (unit * unit) : 1 / unit);
    }
    return out;
  }

  // Of features whose mean over all rows is at least kFar deviations from 0, the mean.  A feature that is constant
  // wherever it is present has none: it is an indicator, or another intercept.
  Origins far(std::uint64_t rows) const {
    constexpr double kFar = 3;  // from here on the stochastic optimisers end visibly above the optimum
    Origins out;
    const auto n = static_cast<double>(rows);
    for (std::size_t key = kIntercept + 1; key < counts_.size(); ++key) {
      const Counts& one = counts_[key];
      const double mean = one.sum / n, square = one.squares / n;
      if (!one.varies() || mean * mean < kFar * kFar * (square - mean * mean)) continue;
      out.keys.push_back(static_cast<std::uint32_t>(key));
      out.values.push_back(mean);
    }
    return out;
  }

  struct Counts {
    double rows = 0, sum = 0, squares = 0;
    double least = std::numeric_limits<double>::infinity(), most = -least;

    double largest() const { return std::max(-least, most); }
    // Of the feature's steps.  REQUIRES: rows.
    double unit(const Settings& settings) const {
      return settings.usual_values ? std::sqrt(squares / rows) : largest();
    }
    bool varies() const { return least < most; }
    // Without the sum, which only far() needs.
    void fields(auto& list) {
      list(rows);
      if (rows == 0) return;
      list(squares, least, most);
      list.check(rows > 0 && std::isfinite(rows) && squares >= 0 && std::isfinite(squares) && least <= most &&
                 std::isfinite(largest()) && largest() >= kSmallestScale);
    }
  };
  // By key; keys after the last have no rows.
  const std::vector<Counts>& all() const { return counts_; }
  std::vector<Counts>& all() { return counts_; }
  void fields(auto& list) { list(counts_); }

 private:
  void grow(std::uint32_t key) { counts_.resize(std::max<std::size_t>(key + std::size_t{1}, 2 * counts_.size())); }

  std::vector<Counts> counts_;
};

}  // namespace rota::linear
