// tests/apps/plain_lasso.h -- Lasso by coordinate descent in the simplest form: one thread, dense columns, sweeps over
// all of them, in doubles; and random data.  The reference for the Lasso app over rows.
#pragma once
#include <cstdint>
#include <vector>

#include "apps/lasso/settings.h"

namespace rota::lasso {

struct Data {
  std::vector<std::vector<double>> x;  // by columns
  std::vector<double> y, w;
  std::vector<std::uint32_t> folds;

  std::size_t rows() const { return y.size(); }
  std::size_t columns() const { return x.size(); }
};

// Sparse columns with few entries, or dense ones; responses from a few of them.
Data random_data(std::uint64_t seed, std::size_t rows, std::size_t columns, double density, bool classes);
// Dense columns in groups that share a part: two of a group correlate by `correlation`.
Data correlated_data(std::size_t rows, std::size_t columns, std::size_t groups, double correlation);

// A fit and its figures.
struct Fit {
  std::vector<double> b;
  double b0 = 0, objective = 0, loss = 0, held_out = 0, lambda_max = 0;
};

class PlainFit {
 public:
  // `data` must outlive it.  Rows of fold `fold` are held out; 0: none.
  PlainFit(const Data& data, const Settings& settings, std::uint32_t fold);

  // Continues from the last penalty's coefficients.
  Fit operator()(double lambda);
  // The least penalty that leaves no coefficient.
  double lambda_max();

 private:
  bool held_out(std::size_t i) const { return fold_ != 0 && data_.folds[i] == fold_; }
  double h() const { return settings_.loss == Loss::squared ? 1 : 0.25; }
  // How fast the loss falls along a column; along ones if null.
  double along(const std::vector<double>* x) const;
  double loss(bool of_held_out) const;

  const Data& data_;
  Settings settings_;
  std::uint32_t fold_;
  std::vector<double> w_, f_, scale_;
  Fit fit_;
};

}  // namespace rota::lasso
