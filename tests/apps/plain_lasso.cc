#include "tests/apps/plain_lasso.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "apps/lasso/penalty.h"

namespace rota::lasso {

Data random_data(std::uint64_t seed, std::size_t rows, std::size_t columns, double density, bool classes) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Data data;
  data.y.resize(rows);
  for (std::size_t j = 0; j < columns; ++j) {
    std::vector<double>& column = data.x.emplace_back(rows);
    for (double& x : column) x = uniform(random) < density ? normal(random) + 0.5 : 0;
    const double b = j % 7 == 0 ? normal(random) : 0;
    for (std::size_t i = 0; i < rows; ++i) data.y[i] += b * column[i];
  }
  for (double& y : data.y) {
    y += 0.3 * normal(random) + 0.4;
    if (classes) y = y > 0 ? 1 : -1;
    data.w.push_back(0.5 + uniform(random));
  }
  return data;
}

Data correlated_data(std::size_t rows, std::size_t columns, std::size_t groups, double correlation) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  Data data;
  data.y.resize(rows);
  data.w.assign(rows, 1);
  std::vector<double> shared(rows);
  for (std::size_t j = 0; j < columns; ++j) {
    if (j % (columns / groups) == 0)
      for (double& x : shared) x = normal(random);
    std::vector<double>& column = data.x.emplace_back(rows);
    for (std::size_t i = 0; i < rows; ++i)
      column[i] = std::sqrt(correlation) * shared[i] + std::sqrt(1 - correlation) * normal(random);
    const double b = j % 31 == 0 ? normal(random) : 0;
    for (std::size_t i = 0; i < rows; ++i) data.y[i] += b * column[i];
  }
  for (double& y : data.y) y += 0.3 * normal(random);
  return data;
}

PlainFit::PlainFit(const Data& data, const Settings& settings, std::uint32_t fold)
    : data_(data), settings_(settings), fold_(fold), w_(data.rows()), f_(data.rows()) {
  double sum = 0;
  for (std::size_t i = 0; i < w_.size(); ++i) sum += w_[i] = held_out(i) ? 0 : data.w[i];
  for (double& w : w_) w /= sum;
  for (const auto& column : data.x) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < w_.size(); ++i) mean += w_[i] * column[i];
    for (std::size_t i = 0; i < w_.size(); ++i) square += w_[i] * (column[i] - mean) * (column[i] - mean);
    const double scale = std::sqrt(square);
    scale_.push_back(!settings.standardize ? 1 : scale > 1e-13 * std::abs(mean) ? scale : 0);
  }
}

Fit PlainFit::operator()(double lambda) {
  const double l1 = lambda * settings_.l1_ratio, l2 = lambda - l1;
  fit_.b.resize(data_.columns());
  for (int sweep = 0; sweep < 200'000; ++sweep) {
    double most = 0;
    if (settings_.intercept) {
      const double change = along(nullptr) / h();
      for (double& f : f_) f += change;
      fit_.b0 += change;
      most = std::abs(change);
    }
    for (std::size_t j = 0; j < data_.columns(); ++j) {
      const auto& x = data_.x[j];
      double curvature = 0;
      for (std::size_t i = 0; i < w_.size(); ++i) curvature += h() * w_[i] * x[i] * x[i];
      if (curvature == 0 || scale_[j] == 0) continue;
      const double best =
          soft_threshold(along(&x) + curvature * fit_.b[j], l1 * scale_[j]) / (curvature + l2 * scale_[j] * scale_[j]);
      const double change = best - fit_.b[j];
      for (std::size_t i = 0; i < f_.size(); ++i) f_[i] += change * x[i];
      fit_.b[j] = best;
      most = std::max(most, std::abs(change) * std::sqrt(curvature));
    }
    if (most < 1e-13) break;
  }
  fit_.loss = loss(false);
  fit_.objective = fit_.loss;
  for (std::size_t j = 0; j < data_.columns(); ++j) fit_.objective += penalty_of({l1, l2}, scale_[j], fit_.b[j]);
  if (fold_ != 0) fit_.held_out = loss(true);
  return fit_;
}

double PlainFit::lambda_max() {
  (*this)(1e300);
  double most = 0;
  for (std::size_t j = 0; j < data_.columns(); ++j)
    if (scale_[j] > 0) most = std::max(most, std::abs(along(&data_.x[j])) / scale_[j]);
  return most / settings_.l1_ratio;
}

double PlainFit::along(const std::vector<double>* x) const {
  double sum = 0;
  for (std::size_t i = 0; i < f_.size(); ++i) {
    const double y = data_.y[i];
    const double slope = settings_.loss == Loss::squared ? y - f_[i] : y / (1 + std::exp(y * f_[i]));
    sum += w_[i] * slope * (x == nullptr ? 1 : (*x)[i]);
  }
  return sum;
}

double PlainFit::loss(bool of_held_out) const {
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < f_.size(); ++i) {
    if (held_out(i) != of_held_out) continue;
    const double y = data_.y[i];
    sum += data_.w[i] *
           (settings_.loss == Loss::squared ? (y - f_[i]) * (y - f_[i]) / 2 : std::log1p(std::exp(-y * f_[i])));
    weight += data_.w[i];
  }
  return sum / weight;
}

}  // namespace rota::lasso
