#include "apps/kmeans/centres.h"

#include <algorithm>

#include "rota/io/report_text.h"
#include "rota/numerics/widest_registers.h"

namespace rota::kmeans {
namespace {

// scores[k] = sum_j x_j S_jk for clusters from k on, `Width` at once while there are as many: the sums stay in
// registers during the loop over the row, and the numbers read of each column are contiguous.  Returns the next k.
template <std::size_t Width>
[[gnu::always_inline]] inline std::size_t products_from(std::size_t k, const io::SparseRow& row, const double* sums,
                                                        std::size_t clusters, double* scores) {
  for (; k + Width <= clusters; k += Width) {
    double acc[Width] = {};
    for (std::size_t e = 0; e < row.columns.size(); ++e) {
      const double* const from = sums + row.columns[e] * clusters + k;
      const double x = row.values[e];
      for (std::size_t i = 0; i < Width; ++i) acc[i] += x * from[i];
    }
    for (std::size_t i = 0; i < Width; ++i) scores[k + i] = acc[i];
  }
  return k;
}

ROTA_WIDEST_REGISTERS void products(const io::SparseRow& row, const double* sums, std::size_t clusters,
                                    double* scores) {
  std::size_t k = products_from<16>(0, row, sums, clusters, scores);
  k = products_from<8>(k, row, sums, clusters, scores);
  k = products_from<4>(k, row, sums, clusters, scores);
  products_from<1>(k, row, sums, clusters, scores);
}

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace

Centres::Centres(std::span<const double> table, std::uint32_t clusters)
    : table_(table),
      clusters_(clusters),
      columns_(table.size() / clusters - 1),
      norms_(clusters),
      factors_(clusters),
      bias_(clusters, std::numeric_limits<double>::infinity()) {
  for (std::uint32_t k = 0; k < clusters_; ++k) {
    factors_[k] = count(k) > 0 ? 2 / count(k) : 0;
    if (count(k) == 0) empty_.push_back(k);
  }
  for (std::uint64_t j = 0; j < columns_; ++j)
    for (std::uint32_t k = 0; k < clusters_; ++k) norms_[k].add(value(j, k));
  for (std::uint32_t k = 0; k < clusters_; ++k)
    if (count(k) > 0) bias_[k] = norm(k);
}

// |x - c_k|^2 = |x|^2 - 2 x c_k + |c_k|^2, of which |x|^2 is the same for all k, and the rest is the score.  x c_k is a
// sum of m products, and 2 |x c_k| <= |x|^2 + |c_k|^2, so a score's error is at most (m + 8) 2^-53 (|x|^2 + 2 |c_k|^2).
double Centres::scores_of(const io::SparseRow& row, std::span<double> scores) const {
  const auto known = std::lower_bound(row.columns.begin(), row.columns.end(), columns_) - row.columns.begin();
  const auto entries = static_cast<std::size_t>(known);
  products({row.columns.first(entries), row.values.first(entries)}, table_.data(), clusters_, scores.data());
  for (std::uint32_t k = 0; k < clusters_; ++k) scores[k] = bias_[k] - factors_[k] * scores[k];
  return static_cast<double>(entries + 8) * kEpsilon;
}

// If |x| is large compared with the distances, as for times that count from 1970, all digits of a score may be
// rounding. So every centre that may be the nearest, within the error of the scores, is compared by its distance.
Nearest Centres::nearest(const io::SparseRow& row, double square, std::span<double> scores) const {
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

void Centres::distances(const io::SparseRow& row, double square, std::span<double> out) const {
  const double share = scores_of(row, out);
  for (std::uint32_t k = 0; k < clusters_; ++k) {
    out[k] += square;
    if (!(share * (square + 2 * norm(k)) <= 1e-6 * out[k])) out[k] = distance(row, k);
  }
}

// sum over the row's entries of (x - c)^2 - c^2, plus |c|^2 for the columns without an entry.  c^2 is summed in the
// same order, so there is no rounding for a row with entries in all columns.  If the difference has too few digits,
// both sums are computed in twice the precision.
double Centres::distance(const io::SparseRow& row, std::uint32_t k) const {
  double apart = 0, covered = 0;
  for (std::size_t e = 0; e < row.columns.size(); ++e) {
    const double c = value(row.columns[e], k), difference = row.values[e] - c;
    apart += difference * difference;
    covered += c * c;
  }
  if (row.columns.size() == columns_ && row.columns.back() < columns_) return apart;
  const double roughly = apart + std::max(0.0, norm(k) - covered);
  if (static_cast<double>(row.columns.size() + 4) * kEpsilon * norm(k) <= 1e-12 * roughly) return roughly;
  SquareSum exact;
  for (const std::uint32_t column : row.columns) exact.add(value(column, k));
  return apart + std::max(0.0, (norms_[k].high - exact.high) + (norms_[k].low - exact.low));
}

Assignment assign(const io::SparseMatrix& rows, std::span<const double> squares, const Centres& centres) {
  Assignment out;
  std::vector<double> scores(centres.clusters());
  for (std::uint64_t r = 0; r < rows.rows; ++r) {
    const Nearest found = centres.nearest(rows[r], squares[r], scores);
    out.cluster.push_back(found.cluster);
    out.distance.push_back(found.distance);
    out.inertia += found.distance;
  }
  return out;
}

std::vector<std::uint32_t> farthest(const Assignment& rows, const Centres& centres) {
  const std::size_t empty = centres.empty().size();
  if (empty == 0 || empty == centres.clusters()) return {};
  // The relative error of the sum of n numbers is at most n 2^-53, so that even n equal rows may be apart from their
  // centre.
  const auto apart = [&](std::uint32_t r) {
    const double share = (centres.count(rows.cluster[r]) + 4) * kEpsilon;
    return rows.distance[r] > share * share * centres.norm(rows.cluster[r]) ? rows.distance[r] : 0;
  };
  std::vector<std::uint32_t> found = io::largest(rows.distance.size(), empty, apart);
  std::erase_if(found, [&](std::uint32_t r) { return apart(r) == 0; });
  return found;
}

}  // namespace rota::kmeans
