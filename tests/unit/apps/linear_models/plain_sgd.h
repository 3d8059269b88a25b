// tests/unit/apps/linear_models/plain_sgd.h -- the app's mathematics in plain loops over dense rows: by the app's
// README.md, without its code.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace rota::tests {

struct PlainSgd {
  std::string loss = "logistic", optimizer = "adagrad";
  double rate = 1, l1 = 0, l2 = 0;
  std::size_t outputs = 1;
  std::vector<double> presence, scale;  // by key; key 0 bears no penalty
  double beta = 1;                      // the scale of a feature whose unit is 1

  struct State {
    double w = 0, a = 0, b = 0;  // adagrad: a of output 0 is the sum of squares, once it has begun; ftrl: z and n
  };
  using Table = std::vector<std::vector<State>>;  // by key, by output
  using Row = std::vector<double>;                // by key; 0: the row has not the feature

  static double soft(double w, double by) { return w > by ? w - by : w < -by ? w + by : 0; }
  static double logistic(double margin) { return std::log1p(std::exp(-std::abs(margin))) + std::max(0.0, -margin); }

  std::vector<double> links(const Table& table, const Row& x) const {
    std::vector<double> f(outputs);
    for (std::size_t j = 0; j < x.size(); ++j)
      for (std::size_t k = 0; k < outputs; ++k) f[k] += table[j][k].w * x[j];
    return f;
  }
  // Of a row, and its slope in each link.
  double loss_of(const std::vector<double>& f, double y, std::vector<double>& slope) const {
    slope.assign(outputs, 0);
    if (loss == "softmax") {
      double sum = 0;
      for (const double one : f) sum += std::exp(one);
      for (std::size_t k = 0; k < outputs; ++k) slope[k] = std::exp(f[k]) / sum;
      const auto target = static_cast<std::size_t>(y);
      const double value = -std::log(slope[target]);
      slope[target] -= 1;
      return value;
    }
    const double margin = y * f[0];
    if (loss == "squared") return slope[0] = f[0] - y, (y - f[0]) * (y - f[0]) / 2;
    if (loss == "logistic") return slope[0] = -y / (1 + std::exp(margin)), logistic(margin);
    const double missing = std::max(0.0, 1 - margin);
    if (loss == "hinge") return slope[0] = missing > 0 ? -y : 0, missing;
    return slope[0] = -2 * y * missing, missing * missing;
  }
  double ftrl_weight(const State& s, std::size_t j, double t) const {
    const double rows = presence[j] > 0 ? t : 0, z = soft(s.a, l1 * rows);
    return -z / ((1 / scale[j] + std::sqrt(s.b)) / (rate * scale[j]) + l2 * rows);
  }
  // One row's step; t counts the rows of the shard.  Returns the loss before it.
  double step(Table& table, const Row& x, double y, double weight, double t) const {
    std::vector<double> slope;
    const double before = loss_of(links(table, x), y, slope);
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (x[j] == 0) continue;
      double& squares = table[j][0].a;
      if (optimizer == "adagrad") {
        if (squares == 0) squares = beta / scale[j] * (beta / scale[j]);
        const auto of = static_cast<double>(outputs);
        const double absent = presence[j] > 0 ? 1 - 1 / presence[j] : 0;
        const double share = outputs > 1 ? (1 + absent * (std::sqrt(of / 2) - 1)) / of : 1;
        for (const double one : slope) squares += weight * one * x[j] * weight * one * x[j] * share;
      }
      for (std::size_t k = 0; k < outputs; ++k) {
        State& s = table[j][k];
        const double g = weight * slope[k] * x[j];
        if (optimizer == "ftrl") {
          s.a += g - (std::sqrt(s.b + g * g) - std::sqrt(s.b)) / (rate * scale[j]) * s.w;
          s.b += g * g;
          s.w = ftrl_weight(s, j, t);
          continue;
        }
        const double eta = rate * scale[j] / std::sqrt(optimizer == "adagrad" ? squares : t);
        s.w = soft(s.w - eta * g, eta * l1 * presence[j]) / (1 + eta * l2 * presence[j]);
      }
    }
    return weight * before;
  }
};

}  // namespace rota::tests
