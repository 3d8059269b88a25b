// apps/lasso/solver/descend_on_columns.cc -- coordinate descent that keeps q_i = h_i (residual of row i), never
// centred.
//
// With an intercept c_k = x_k' q - R m_k / H, where R = sum_i q_i, m_k = sum_i h_i x_ik and H = sum_i h_i: sparse
// columns stay sparse.
#include <optional>

#include "apps/lasso/solver/active_problem.h"
#include "apps/lasso/solver/coordinate_descent.h"

namespace rota::lasso {
namespace {

class ColumnEngine {
 public:
  static constexpr std::uint64_t kEpochsPerGap = 2 * Anderson::kDepth;  // an evaluation costs half an epoch

  explicit ColumnEngine(const ActiveProblem& problem)
      : problem_(problem),
        q_(problem.g.begin(), problem.g.end()),
        inverse_(problem.sum_of_h > 0 ? 1 / problem.sum_of_h : 0),
        same_(same_number(problem.h)) {}

  double gradient(std::size_t k) const {
    const ActiveCoordinate& it = problem_.coordinates[k];
    return problem_.columns->dot(it.column, q_) - mean_ * it.moments.sum;
  }
  void change(std::size_t k, double by) {
    const ActiveCoordinate& it = problem_.coordinates[k];
    if (same_)
      problem_.columns->add_to(it.column, -by * *same_, q_);
    else
      problem_.columns->add_weighted_to(it.column, -by, problem_.h, q_);
    mean_ -= by * it.moments.sum * inverse_;
  }
  Parabola along(std::span<const double> step) {
    along_.assign(q_.size(), 0.0);
    sum_along_ = 0;
    for (std::size_t k = 0; k < step.size(); ++k) {
      const ActiveCoordinate& it = problem_.coordinates[k];
      if (step[k] == 0) continue;
      problem_.columns->add_to(it.column, step[k], along_);
      sum_along_ += step[k] * it.moments.sum;
    }
    double linear = 0, square = 0;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      linear += q_[i] * along_[i];
      square += problem_.h[i] * along_[i] * along_[i];
    }
    return {mean_ * sum_along_ - linear, square - sum_along_ * sum_along_ * inverse_};
  }
  void move(double t) {
    for (std::size_t i = 0; i < q_.size(); ++i) q_[i] -= t * (problem_.h[i] * along_[i]);
    mean_ -= t * sum_along_ * inverse_;
  }

 private:
  static std::optional<double> same_number(std::span<const double> h) {
    for (const double number : h)
      if (number != h[0]) return std::nullopt;
    return h.empty() ? std::nullopt : std::optional(h[0]);
  }

  const ActiveProblem& problem_;
  std::vector<double> q_, along_;
  double inverse_;              // 1 / H; without an intercept 0
  std::optional<double> same_;  // h_i, if all are equal
  double mean_ = 0;             // R / H
  double sum_along_ = 0;        // sum_i h_i along_i
};

}  // namespace

Descent descend_on_columns(ActiveProblem& problem, double tolerance, std::uint64_t most_epochs) {
  ColumnEngine engine(problem);
  return CoordinateDescent<ColumnEngine>(problem, engine).run(tolerance, most_epochs);
}

}  // namespace rota::lasso
