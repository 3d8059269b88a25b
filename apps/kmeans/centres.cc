#include "apps/kmeans/centres.h"

#include <algorithm>
#include <numeric>

namespace rota::kmeans {
namespace {

// scores[k] += sum_j x_j S_jk for `Width` clusters from k on: the sums stay in registers during the loop over the row,
// and the numbers read of each column are contiguous.
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

// Every cluster's sum is computed independently, by the same operations in the same order (the tree is compiled without
// contraction), so wider registers do not change any bit.
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

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// The relative error at which a sum counts as exact.
constexpr double kExact = 1e-12;
// The same, for comparisons with other rows that are drawn at random.
constexpr double kClose = 1e-6;

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
    for (std::uint32_t k = 0; k < clusters_; ++k) norms_[k].add(value(j, k));
  for (std::uint32_t k = 0; k < clusters_; ++k)
    if (count(k) > 0) bias_[k] = norm(k);
}

double Centres::value(std::uint64_t column, std::uint32_t k) const {
  return column < columns_ ? table_[column * clusters_ + k] * (factors_[k] / 2) : 0;
}

double Centres::rounding(std::uint32_t k) const {
  const double share = (count(k) + 4) * kEpsilon;
  return share * share * norm(k);
}

// |x - c_k|^2 = |x|^2 - 2 x c_k + |c_k|^2, of which |x|^2 is the same for all k, and the rest is the score.  x c_k is a
// sum of m products, and 2 |x c_k| <= |x|^2 + |c_k|^2, so a score's error is at most (m + 8) 2^-53 (|x|^2 + 2 |c_k|^2).
double Centres::scores_of(const Row& row, std::span<double> scores) const {
  static const Products products = best_products();
  const auto known = std::lower_bound(row.columns.begin(), row.columns.end(), columns_) - row.columns.begin();
  const auto entries = static_cast<std::size_t>(known);
  products({row.columns.first(entries), row.values.first(entries)}, table_.data(), clusters_, scores.data());
  for (std::uint32_t k = 0; k < clusters_; ++k) scores[k] = bias_[k] - factors_[k] * scores[k];
  return static_cast<double>(entries + 8) * kEpsilon;
}

// If |x| is large compared with the distances, as for times that count from 1970, all digits of a score may be
// rounding. So every centre that may be the nearest, within the error of the scores, is compared by its distance.
Nearest Centres::nearest(const Row& row, double square, std::span<double> scores) const {
  const double share = scores_of(row, scores);
  std::uint32_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t k = 0; k < clusters_; ++k)
    if (scores[k] < least) {
      least = scores[k];
      best = k;
    }
  const double limit = least + 2 * share * (square + norm(best));
  Nearest found{best, distance(row, best)};
  for (std::uint32_t k = 0; k < clusters_; ++k) {
    if (k == best || !(scores[k] - 2 * share * norm(k) <= limit)) continue;
    const double other = distance(row, k);
    if (other < found.distance || (other == found.distance && k < found.cluster)) found = {k, other};
  }
  return found;
}

void Centres::distances(const Row& row, double square, std::span<double> out) const {
  const double share = scores_of(row, out);
  for (std::uint32_t k = 0; k < clusters_; ++k) {
    out[k] += square;
    if (!(share * (square + 2 * norm(k)) <= kClose * out[k])) out[k] = distance(row, k);
  }
}

// sum over the row's entries of (x - c)^2 - c^2, plus |c|^2 for the columns without an entry.  c^2 is summed in the
// same order, so there is no rounding for a row with entries in all columns.  If the difference has too few digits,
// both sums are computed in twice the precision.
double Centres::distance(const Row& row, std::uint32_t k) const {
  double apart = 0, covered = 0;
  for (std::size_t e = 0; e < row.columns.size(); ++e) {
    const double c = value(row.columns[e], k), difference = row.values[e] - c;
    apart += difference * difference;
    covered += c * c;
  }
  if (row.columns.size() == columns_ && row.columns.back() < columns_) return apart;
  const double roughly = apart + std::max(0.0, norm(k) - covered);
  if (static_cast<double>(row.columns.size() + 4) * kEpsilon * norm(k) <= kExact * roughly) return roughly;
  SquareSum exact;
  for (const std::uint32_t column : row.columns) exact.add(value(column, k));
  return apart + std::max(0.0, (norms_[k].high - exact.high) + (norms_[k].low - exact.low));
}

Assignment assign(const Rows& rows, const Centres& centres) {
  Assignment out;
  out.cluster.resize(rows.size());
  out.distance.resize(rows.size());
  std::vector<double> scores(centres.clusters());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Nearest found = centres.nearest(rows[r], rows.square(r), scores);
    out.cluster[r] = found.cluster;
    out.distance[r] = found.distance;
    out.inertia += found.distance;
  }
  if (centres.empty().empty() || centres.empty().size() == centres.clusters()) return out;
  std::vector<double> nearness(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r)
    nearness[r] = out.distance[r] > centres.rounding(out.cluster[r]) ? -out.distance[r] : 0;
  for (const std::uint32_t r : smallest(nearness, centres.empty().size()))
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
