// apps/lda/commands/topic_map.cc
#include "apps/lda/commands/topic_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

#include "rota/random.h"

namespace rota::lda {

namespace {

using Vector = std::vector<double>;

constexpr std::size_t kStepsMost = 100, kStepsBetweenChecks = 10;
constexpr double kTolerance = 1e-8;  // of an eigenvector's residual, in units of its eigenvalue

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add(Vector& to, double factor, const Vector& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

void center(Vector& v) {
  const double mean = std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  for (double& x : v) x -= mean;
}

// The inner products of all pairs of centered points: never formed, but applied.  A point's element of a word is that
// of a word without tokens in the topic, which is the same for all of these, and what its tokens add.
class CenteredProducts {
 public:
  explicit CenteredProducts(const TrainedModel& model) : model_(model) {
    const double beta = model.copies * model.priors.beta, v_beta = beta * static_cast<double>(model.words.size());
    std::vector<double> all(model.totals.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<double>(model.totals[k]) + v_beta;
    for (const double tokens : all) without_.push_back(std::sqrt(beta / tokens / 2));
    for (const WordRow& row : model.words)
      for (const TopicCount cell : row)
        added_.push_back(std::sqrt((cell.count + beta) / all[cell.topic] / 2) - without_[cell.topic]);
  }

  // v is centered.
  Vector operator()(const Vector& v) const {
    Vector out(v.size());
    const double of_none = dot(without_, v);
    double sum = 0;
    auto added = added_.begin();
    for (const WordRow& row : model_.words) {
      double of_word = of_none;
      auto at = added;
      for (const TopicCount cell : row) of_word += *at++ * v[cell.topic];
      for (const TopicCount cell : row) out[cell.topic] += *added++ * of_word;
      sum += of_word;
    }
    add(out, sum, without_);
    center(out);
    return out;
  }

 private:
  const TrainedModel& model_;
  Vector without_, added_;  // by topic; by word and topic, in the order of the rows
};

// All eigenvectors of a small symmetric matrix, the largest eigenvalue first: Jacobi's rotations.
std::vector<std::pair<double, Vector>> eigenvectors(std::vector<Vector> a) {
  const std::size_t n = a.size();
  std::vector<Vector> v(n, Vector(n));  // rows are eigenvectors in the end
  for (std::size_t i = 0; i < n; ++i) v[i][i] = 1;
  constexpr int kSweepsMost = 60;
  for (int sweep = 0; sweep < kSweepsMost; ++sweep) {
    double off = 0, on = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) (i == j ? on : off) += a[i][j] * a[i][j];
    if (off <= 1e-30 * on) break;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p][q] == 0) continue;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < n; ++k)
          std::tie(a[k][p], a[k][q]) = std::pair(c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
        for (std::size_t k = 0; k < n; ++k)
          std::tie(a[p][k], a[q][k]) = std::pair(c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
        for (std::size_t k = 0; k < n; ++k)
          std::tie(v[p][k], v[q][k]) = std::pair(c * v[p][k] - s * v[q][k], s * v[p][k] + c * v[q][k]);
      }
  }
  std::vector<std::pair<double, Vector>> found;
  for (std::size_t i = 0; i < n; ++i) found.emplace_back(a[i][i], std::move(v[i]));
  std::ranges::stable_sort(found, std::ranges::greater(), &std::pair<double, Vector>::first);
  return found;
}

// Centered, and orthogonal to all of the basis, to the last digits: therefore twice.
void make_orthogonal(Vector& v, const std::vector<Vector>& basis) {
  for (int pass = 0; pass < 2; ++pass) {
    center(v);
    for (const Vector& each : basis) add(v, -dot(v, each), each);
  }
}

// A basis of the space in which the eigenvectors are looked for, and the matrix there, which has three diagonals.
struct Lanczos {
  std::vector<Vector> basis;
  Vector diagonal, beside;

  std::vector<std::pair<double, Vector>> solve() const {
    const std::size_t n = basis.size();
    std::vector<Vector> matrix(n, Vector(n));
    for (std::size_t i = 0; i < n; ++i) {
      matrix[i][i] = diagonal[i];
      if (i + 1 < n) matrix[i][i + 1] = matrix[i + 1][i] = beside[i];
    }
    return eigenvectors(std::move(matrix));
  }
};

Lanczos lanczos(const CenteredProducts& products, std::size_t topics) {
  Lanczos its;
  Random random({1, 2, 3, 4});  // one start for all models
  double largest = 0;
  Vector next;
  while (its.basis.size() < std::min(topics - 1, kStepsMost)) {
    double length = std::sqrt(dot(next, next));
    if (next.empty() || length <= 1e-12 * largest) {  // the space is closed: another start, beside it
      next.resize(topics);
      for (double& x : next) x = random.uniform() - 0.5;
      make_orthogonal(next, its.basis);
      length = std::sqrt(dot(next, next));
      if (!its.basis.empty()) its.beside.push_back(0);
    } else {
      its.beside.push_back(length);
    }
    for (double& x : next) x /= length;
    its.basis.push_back(std::move(next));
    next = products(its.basis.back());
    its.diagonal.push_back(dot(next, its.basis.back()));
    largest = std::max(largest, std::abs(its.diagonal.back()));
    make_orthogonal(next, its.basis);
    if (its.basis.size() % kStepsBetweenChecks != 0) continue;
    const auto found = its.solve();
    const double residual = std::sqrt(dot(next, next));
    const auto converged = [&](const auto& pair) {
      return residual * std::abs(pair.second.back()) <= kTolerance * std::abs(pair.first);
    };
    if (converged(found[0]) && converged(found[1])) break;
  }
  return its;
}

}  // namespace

std::vector<MapPoint> topic_map(const TrainedModel& model) {
  std::vector<MapPoint> points(model.totals.size());
  if (points.size() < 2) return points;
  const Lanczos its = lanczos(CenteredProducts(model), points.size());
  const auto found = its.solve();
  const auto put = [&](std::size_t axis, double MapPoint::*to) {
    if (axis >= found.size() || found[axis].first <= 0) return;
    Vector of_topics(points.size());
    for (std::size_t i = 0; i < its.basis.size(); ++i) add(of_topics, found[axis].second[i], its.basis[i]);
    const auto size = [](double x) { return std::abs(x); };
    const double sign = *std::ranges::max_element(of_topics, {}, size) < 0 ? -1 : 1;
    for (std::size_t k = 0; k < points.size(); ++k) points[k].*to = sign * std::sqrt(found[axis].first) * of_topics[k];
  };
  put(0, &MapPoint::x);
  put(1, &MapPoint::y);
  return points;
}

}  // namespace rota::lda
