// rota/numerics/quality.h -- the quality of predictions, as scikit-learn defines it.
//
// For reports about a model, not for computations that a model depends on: the C library's log may differ in its last
// bit between processors.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace rota {

// Of numbers: add() takes one row, or the sums of other rows.  Without rows there is no result.
class PredictionErrors {
 public:
  void add(double truth, double predicted) {
    const double error = truth - predicted;
    squares_ += error * error;
    absolute_ += std::abs(error);
    ++rows_;
  }
  PredictionErrors& operator+=(const PredictionErrors& other) {
    squares_ += other.squares_;
    absolute_ += other.absolute_;
    rows_ += other.rows_;
    return *this;
  }

  std::uint64_t rows() const { return rows_; }
  double squares() const { return squares_; }  // their sum
  double mse() const { return squares_ / static_cast<double>(rows_); }
  double rmse() const { return std::sqrt(mse()); }
  double mae() const { return absolute_ / static_cast<double>(rows_); }

 private:
  double squares_ = 0, absolute_ = 0;
  std::uint64_t rows_ = 0;
};

// 1 - the sum of squared errors / the sum of squared distances of the truth from its mean.  Where the truth does not
// vary: 1 if there are no errors, else 0.
inline double r2_score(double squared_errors, std::span<const double> truth) {
  double mean = 0, squares = 0;
  for (const double one : truth) mean += one / static_cast<double>(truth.size());
  for (const double one : truth) squares += (one - mean) * (one - mean);
  if (squares > 0) return 1 - squared_errors / squares;
  return squared_errors > 0 ? 0 : 1;
}

// Of classes: the number of rows that got the right one.
class Accuracy {
 public:
  void add(bool right) {
    right_ += right ? 1 : 0;
    ++rows_;
  }
  Accuracy& operator+=(const Accuracy& other) {
    right_ += other.right_;
    rows_ += other.rows_;
    return *this;
  }
  std::uint64_t rows() const { return rows_; }
  double share() const { return static_cast<double>(right_) / static_cast<double>(rows_); }

 private:
  std::uint64_t right_ = 0, rows_ = 0;
};

// Minus the logarithm of the probability given to a row's true class, for any number of classes.  Probabilities are
// clipped to [2^-52, 1 - 2^-52], so that one row whose class was thought impossible costs 36.04 and not infinity.  A
// model's log loss is the mean over its rows.
inline double log_loss(double probability_of_truth) {
  constexpr double kLeast = std::numeric_limits<double>::epsilon();
  return -std::log(std::clamp(probability_of_truth, kLeast, 1 - kLeast));
}

// The same for a logistic model's linear prediction f, log(1 + exp(-f)) for a row of the positive class.  Exact for
// every finite f, so nothing is clipped.
inline double log_loss_of_link(double link, bool positive) {
  const double margin = positive ? link : -link;
  return margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
}

// The area under the ROC curve: the probability that a row of the positive class has a larger score than a row of the
// others; ties count half.  positive(i): whether row i is of that class.  No result if all rows are of one class, or if
// a score is NaN.
template <typename IsPositive>
double area_under_curve(std::span<const double> scores, IsPositive positive) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (const double score : scores)
    if (std::isnan(score)) return kNone;
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  double rank_sum = 0, positives = 0;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && scores[order[end]] == scores[order[begin]]) ++end;
    const double rank = (static_cast<double>(begin + end) + 1) / 2;  // of all that are tied
    for (std::size_t i = begin; i < end; ++i)
      if (positive(order[i])) {
        rank_sum += rank;
        positives += 1;
      }
  }
  const double others = static_cast<double>(scores.size()) - positives;
  return positives > 0 && others > 0 ? (rank_sum - positives * (positives + 1) / 2) / (positives * others) : kNone;
}

}  // namespace rota
