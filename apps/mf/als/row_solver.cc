#include "apps/mf/als/row_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rota::mf {
namespace {

// Without a penalty, too few ratings do not determine the factors: of all solutions, take one near 0.  A share of the
// mean of the diagonal, so that it is small beside factors of any size, and well above rounding.
constexpr double kLeastRidge = 1e-12;

}  // namespace

void descend(std::span<const double> a, std::size_t width, std::span<const double> y, std::size_t bounded,
             std::span<double> x) {
  constexpr int kSweeps = 1000;
  constexpr double kEnough = 1e-10;  // of the largest number
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double moved = 0, largest = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      double gradient = -y[i];
      for (std::size_t k = 0; k < y.size(); ++k) gradient += a[i * width + k] * x[k];
      const double wanted = a[i * width + i] > 0 ? x[i] - gradient / a[i * width + i] : 0;
      const double value = i < bounded ? std::max(0.0, wanted) : wanted;
      moved = std::max(moved, std::abs(value - x[i]));
      x[i] = value;
      largest = std::max(largest, std::abs(value));
    }
    if (moved <= kEnough * largest) break;
  }
}

RowSolver::RowSolver(const Settings& settings, std::uint32_t cg_steps, const RowForm& form)
    : settings_(settings), cg_steps_(cg_steps), form_(form) {
  const std::size_t width = form_.width();
  rows_.resize(kBlock * width);
  for (auto* const one : {&x_, &r_, &p_, &product_}) one->resize(width);
  for (auto* const one : {&weights_, &targets_, &coefficients_}) one->resize(kBlock);
  if (cg_steps_ > 0) return;
  matrix_.resize(width * width);
  if (settings_.implicit) scaled_.resize(kBlock * width);
}

double RowSolver::memory(std::uint32_t cg_steps, const RowForm& form) {
  const auto width = static_cast<double>(form.width());
  return sizeof(double) * width * (kBlock + (cg_steps > 0 ? 0 : width));
}

// A row of few ratings has one block, which is gathered once.
template <typename F>
void RowSolver::for_each_block(F f) {
  for (std::size_t first = 0; first < ratings_.size(); first += kBlock) {
    const auto some = ratings_.subspan(first, std::min(kBlock, ratings_.size() - first));
    if (std::exchange(at_, first) != first) {
      gather_rows(partners_, form_, some, rows_.data(), targets_.data());
      for (std::size_t j = 0; j < some.size(); ++j) {
        const auto value = static_cast<double>(some[j].value);
        weights_[j] = settings_.implicit ? settings_.alpha * value : 1;
        targets_[j] = settings_.implicit ? 1 + settings_.alpha * value : value - targets_[j];
      }
    }
    f(some.size());
  }
}

void RowSolver::solve(Factors partners, const double* gram, std::span<const Partner> ratings, double penalty,
                      std::span<double> row) {
  partners_ = partners;
  gram_ = gram;
  ratings_ = ratings;
  at_ = kNowhere;
  if (ratings.empty()) return std::fill(row.begin(), row.end(), 0.0);
  std::fill(x_.begin(), x_.end(), 0.0);
  std::copy(row.begin(), row.end(), x_.begin());
  if (cg_steps_ > 0)
    conjugate_gradients(penalty);
  else
    decompose(penalty);
  std::copy_n(x_.begin(), row.size(), row.begin());
}

void RowSolver::decompose(double penalty) {
  const std::size_t width = form_.width(), size = form_.size;
  if (gram_ != nullptr)
    std::copy_n(gram_, matrix_.size(), matrix_.begin());
  else
    std::fill(matrix_.begin(), matrix_.end(), 0.0);
  std::fill(r_.begin(), r_.end(), 0.0);
  for_each_block([&](std::size_t count) {
    const double* scaled = rows_.data();
    if (settings_.implicit) {
      for (std::size_t j = 0; j < count; ++j)
        for (std::size_t k = 0; k < width; ++k) scaled_[j * width + k] = weights_[j] * rows_[j * width + k];
      scaled = scaled_.data();
    }
    add_squares(rows_.data(), scaled, count, width, matrix_.data());
    combine(rows_.data(), count, width, targets_.data(), r_.data());
  });
  double squares = 0;  // of the factors: a bias may have another scale
  for (std::size_t i = 0; i < form_.rank; ++i) squares += matrix_[i * width + i] / static_cast<double>(form_.rank);
  for (std::size_t i = 0; i < size; ++i) {
    const bool bias = i == form_.rank;
    double& diagonal = matrix_[i * width + i];
    diagonal += std::max(bias ? penalty * form_.bias_times : penalty, kLeastRidge * (bias ? diagonal : squares));
  }
  if (settings_.nonnegative) {
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < i; ++j) matrix_[i * width + j] = matrix_[j * width + i];
    descend(matrix_, width, std::span(r_).first(size), form_.rank, std::span(x_).first(size));
  } else {
    mf::solve(matrix_.data(), size, width, r_.data());
    x_ = r_;
  }
}

void RowSolver::residual(double penalty, const double* x, bool from_targets, double* out) {
  const std::size_t width = form_.width();
  if (gram_ != nullptr)
    products(gram_, width, width, x, out);
  else
    std::fill_n(out, width, 0.0);
  const double sign = from_targets ? -1 : 1;
  for (std::size_t k = 0; k < width; ++k)
    out[k] = sign * (out[k] + (k < form_.rank ? penalty : penalty * form_.bias_times) * x[k]);
  for_each_block([&](std::size_t count) {
    products(rows_.data(), count, width, x, coefficients_.data());
    for (std::size_t j = 0; j < count; ++j)
      coefficients_[j] = (from_targets ? targets_[j] : 0) + sign * weights_[j] * coefficients_[j];
    combine(rows_.data(), count, width, coefficients_.data(), out);
  });
}

double RowSolver::dot(const LineVector<double>& a, const LineVector<double>& b) const {
  double product = 0;
  products(a.data(), 1, a.size(), b.data(), &product);
  return product;
}

// Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems", 1952.
void RowSolver::conjugate_gradients(double penalty) {
  constexpr double kEnough = 1e-30;  // squared, of the first residual
  const std::size_t width = form_.width();
  residual(penalty, x_.data(), true, r_.data());
  p_ = r_;
  double squares = dot(r_, r_);
  const double enough = kEnough * squares;
  double steepest = 0;  // curvature along a direction
  for (std::uint32_t step = 0; step < cg_steps_ && squares > enough; ++step) {
    residual(penalty, p_.data(), false, product_.data());
    const double product = dot(p_, product_), curvature = product / dot(p_, p_);
    steepest = std::max(steepest, curvature);
    if (curvature <= kLeastRidge * steepest) break;  // the ratings do not determine this direction
    const double rate = squares / product;
    for (std::size_t k = 0; k < width; ++k) {
      x_[k] += rate * p_[k];
      r_[k] -= rate * product_[k];
    }
    const double before = std::exchange(squares, dot(r_, r_));
    for (std::size_t k = 0; k < width; ++k) p_[k] = r_[k] + squares / before * p_[k];
  }
}

}  // namespace rota::mf
