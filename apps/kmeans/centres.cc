#include "apps/kmeans/centres.h"

#include <algorithm>
#include <numeric>

namespace rota::kmeans {
namespace {

// scores[k] += sum_j x_j S_jk for `Width` clusters from k on: the sums stay in registers while the row is walked, and
// of each column contiguous numbers are read.
template <std::size_t Width>
[[gnu::always_inline]] inline void add_products(const Row& row, const double* sums, std::size_t clusters,
                                                double* scores) {
  double acc[Width] = {};
  for (std::size_t e = 0; e < row.columns.size(); ++e) {
    const double* const from = sums + row.columns[e] * clusters;
    const double x = row.values[e];
    for (std::size_t i = 0; i < Width; ++i) acc[i] += x * from[i];
  }
  for (std::size_t i = 0; i < Width; ++i) scores[i] = acc[i];
}

[[gnu::always_inline]] inline void products_of(const Row& row, const double* sums, std::size_t clusters,
                                               double* scores) {
  std::size_t k = 0;
  for (; k + 16 <= clusters; k += 16) add_products<16>(row, sums + k, clusters, scores + k);
  for (; k + 8 <= clusters; k += 8) add_products<8>(row, sums + k, clusters, scores + k);
  for (; k + 4 <= clusters; k += 4) add_products<4>(row, sums + k, clusters, scores + k);
  for (; k < clusters; ++k) add_products<1>(row, sums + k, clusters, scores + k);
}

// Every cluster's sum is made by itself, by the same multiplications and additions in the same order (the tree is
// compiled without contraction), so the wider registers change no bit.
using Products = void (*)(const Row&, const double*, std::size_t, double*);
void baseline_products(const Row& row, const double* sums, std::size_t clusters, double* scores) {
  products_of(row, sums, clusters, scores);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] void avx2_products(const Row& row, const double* sums, std::size_t clusters, double* scores) {
  products_of(row, sums, clusters, scores);
}
Products best_products() {
  return __builtin_cpu_supports("avx2") ? avx2_products : baseline_products;
}
#else
Products best_products() {
  return baseline_products;
}
#endif

// Below this share of |c|^2 a squared distance is rounding.
constexpr double kNoDistance = 1e-12;

}  // namespace

Centres::Centres(std::span<const double> table, std::uint32_t clusters)
    : table_(table),
      clusters_(clusters),
      columns_(table.size() / clusters - 1),
      norms_(clusters),
      factors_(clusters),
      bias_(clusters, std::numeric_limits<double>::infinity()) {
  for (std::uint32_t k = 0; k < clusters_; ++k) {
    if (count(k) > 0)
      factors_[k] = 2 / count(k);
    else
      empty_.push_back(k);
  }
  for (std::uint64_t j = 0; j < columns_; ++j)
    for (std::uint32_t k = 0; k < clusters_; ++k) norms_[k] += value(j, k) * value(j, k);
  for (std::uint32_t k = 0; k < clusters_; ++k)
    if (count(k) > 0) bias_[k] = norms_[k];
}

double Centres::value(std::uint64_t column, std::uint32_t k) const {
  return column < columns_ ? table_[column * clusters_ + k] * (factors_[k] / 2) : 0;
}

// |x - c_k|^2 = |x|^2 - 2 x c_k + |c_k|^2, of which |x|^2 is the same for all k.
Nearest Centres::nearest(const Row& row, std::span<double> scores) const {
  static const Products products = best_products();
  const auto known = std::lower_bound(row.columns.begin(), row.columns.end(), columns_) - row.columns.begin();
  const auto entries = static_cast<std::size_t>(known);
  products({row.columns.first(entries), row.values.first(entries)}, table_.data(), clusters_, scores.data());
  std::uint32_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t k = 0; k < clusters_; ++k) {
    const double score = bias_[k] - factors_[k] * scores[k];
    if (score < least) {
      least = score;
      best = k;
    }
  }
  return {best, distance(row, best)};
}

// sum over the row's entries of (x - c)^2 - c^2, and |c|^2: what the row lacks, only c has.  |c|^2 is summed up in the
// same order, so what a row has in full leaves no rounding behind.
double Centres::distance(const Row& row, std::uint32_t k) const {
  double apart = 0, covered = 0;
  for (std::size_t e = 0; e < row.columns.size(); ++e) {
    const double c = value(row.columns[e], k), difference = row.values[e] - c;
    apart += difference * difference;
    covered += c * c;
  }
  return apart + std::max(0.0, norms_[k] - covered);
}

Assignment assign(const Rows& rows, const Centres& centres) {
  Assignment out;
  out.cluster.resize(rows.size());
  std::vector<double> scores(centres.clusters()), nearness;
  const std::size_t wanted = centres.empty().size() < centres.clusters() ? centres.empty().size() : 0;
  if (wanted > 0) nearness.resize(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Nearest found = centres.nearest(rows[r], scores);
    out.cluster[r] = found.cluster;
    out.inertia += found.distance;
    if (wanted > 0) nearness[r] = found.distance > kNoDistance * centres.norm(found.cluster) ? -found.distance : 0;
  }
  if (wanted == 0) return out;
  for (const std::uint32_t r : smallest(nearness, wanted))
    if (nearness[r] < 0) out.farthest.push_back({-nearness[r], r});
  return out;
}

std::vector<std::uint32_t> smallest(std::span<const double> keys, std::size_t count) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), end, order.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
  order.erase(end, order.end());
  return order;
}

}  // namespace rota::kmeans
