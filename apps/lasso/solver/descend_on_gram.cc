// apps/lasso/solver/descend_on_gram.cc -- coordinate descent that keeps the gradient itself, by products of columns.
//
// With an intercept c_k = u_k - R m_k / H: u is kept by the products about 0, which are sparse if the columns are, and
// R as a separate number (see descend_on_columns.cc).
#include "apps/lasso/solver/active_problem.h"
#include "apps/lasso/solver/coordinate_descent.h"

namespace rota::lasso {
namespace {

class SparseProducts {
 public:
  explicit SparseProducts(SparseGram gram) : gram_(std::move(gram)) {}

  // u -= by * (row k)
  void subtract(std::size_t k, double by, double* u) const {
    const std::size_t end = gram_.begin[k + 1];
    for (std::size_t e = gram_.begin[k]; e < end; ++e) u[gram_.partner[e]] -= by * gram_.product[e];
    u[k] -= by * gram_.diagonal[k];
  }

 private:
  SparseGram gram_;
};

class DenseProducts {
 public:
  explicit DenseProducts(DenseGram gram) : gram_(std::move(gram)) {}

  void subtract(std::size_t k, double by, double* u) const {
    const double* const row = gram_.product.data() + k * gram_.size;
    for (std::size_t e = 0; e < gram_.size; ++e) u[e] -= by * row[e];
  }

 private:
  DenseGram gram_;
};

template <typename Products>
class GramEngine {
 public:
  static constexpr std::uint64_t kEpochsPerGap = Anderson::kDepth;

  GramEngine(const ActiveProblem& problem, Products products)
      : products_(std::move(products)), inverse_(problem.sum_of_h > 0 ? 1 / problem.sum_of_h : 0) {
    for (const ActiveCoordinate& it : problem.coordinates) {
      u_.push_back(it.gradient);
      sums_.push_back(it.moments.sum);
    }
  }

  double gradient(std::size_t k) const { return u_[k] - mean_ * sums_[k]; }
  void change(std::size_t k, double by) {
    products_.subtract(k, by, u_.data());
    mean_ -= by * sums_[k] * inverse_;
  }
  Parabola along(std::span<const double> step) {
    along_.assign(u_.size(), 0.0);
    sum_along_ = 0;
    for (std::size_t k = 0; k < step.size(); ++k) {
      if (step[k] == 0) continue;
      products_.subtract(k, step[k], along_.data());
      sum_along_ += step[k] * sums_[k];
    }
    Parabola parabola{0, -sum_along_ * sum_along_ * inverse_};
    for (std::size_t k = 0; k < step.size(); ++k) {
      parabola.slope -= step[k] * gradient(k);
      parabola.curvature -= step[k] * along_[k];
    }
    return parabola;
  }
  void move(double t) {
    for (std::size_t k = 0; k < u_.size(); ++k) u_[k] += t * along_[k];
    mean_ -= t * sum_along_ * inverse_;
  }

 private:
  Products products_;
  std::vector<double> u_, sums_;
  std::vector<double> along_;  // minus the products' rows times the step
  double inverse_;             // 1 / H; without an intercept 0
  double mean_ = 0;            // R / H
  double sum_along_ = 0;       // of the step: the decrease of R
};

template <typename Products>
Descent descend(ActiveProblem& problem, Products products, double tolerance, std::uint64_t most_epochs) {
  GramEngine<Products> engine(problem, std::move(products));
  return CoordinateDescent<GramEngine<Products>>(problem, engine).run(tolerance, most_epochs);
}

// Measured: an entry of a sparse row takes as long as this many of a dense one.
constexpr std::size_t kSparseEntry = 3;

}  // namespace

Descent descend_on_gram(ActiveProblem& problem, double tolerance, std::uint64_t most_epochs) {
  std::vector<std::uint32_t> columns;
  for (const ActiveCoordinate& it : problem.coordinates) columns.push_back(it.column);
  if (2 * problem.gram->pairs_among(columns) * kSparseEntry < columns.size() * columns.size())
    return descend(problem, SparseProducts(problem.gram->sparse(columns)), tolerance, most_epochs);
  return descend(problem, DenseProducts(problem.gram->dense(columns)), tolerance, most_epochs);
}

}  // namespace rota::lasso
