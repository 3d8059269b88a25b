#include "apps/kmeans/centres.h"

#include <algorithm>
#include <limits>

#include "rota/io/report_text.h"
#include "rota/numerics/widest_registers.h"

namespace rota::kmeans {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

}  // namespace

Centres::Centres(std::span<const double> table, std::uint32_t clusters)
    : table_(table),
      clusters_(clusters),
      columns_(table.size() / clusters - 1),
      norms_(clusters),
      inverse_counts_(clusters) {
  for (std::uint32_t k = 0; k < clusters; ++k)
    if (count(k) > 0)
      inverse_counts_[k] = 1 / count(k);
    else
      empty_.push_back(k);
  for (std::uint64_t j = 0; j < columns_; ++j)
    for (std::uint32_t k = 0; k < clusters; ++k) norms_[k].add(value(j, k));
  for (const std::uint32_t k : empty_) norms_[k].high = kInfinity;
}

// |x - c_k|^2 = |x|^2 - 2 x c_k + |c_k|^2, of which |x|^2 is the same for all k, and the rest is the score.  x c_k is a
// sum of m products, and 2 |x c_k| <= |x|^2 + |c_k|^2, so a score's error is at most (m + 8) 2^-53 (|x|^2 + 2 |c_k|^2).
double Centres::scores_of(const io::SparseRow& row, std::span<double> scores) const {
  const auto known = std::ranges::lower_bound(row.columns, columns_) - row.columns.begin();
  const auto entries = static_cast<std::size_t>(known);
  products({row.columns.first(entries), row.values.first(entries)}, table_.data(), clusters_, scores.data());
  for (std::uint32_t k = 0; k < clusters_; ++k) scores[k] = norm(k) - 2 * inverse_counts_[k] * scores[k];
  return static_cast<double>(entries + 8) * kEpsilon;
}

// If |x| is large compared with the distances, as for times that count from 1970, all digits of a score may be
// rounding. So every centre that may be the nearest, within the error of the scores, is compared by its distance.
std::pair<std::uint32_t, double> Centres::nearest(const io::SparseRow& row, double square,
                                                  std::span<double> scores) const {
  const double share = scores_of(row, scores);
  const auto best = static_cast<std::uint32_t>(std::ranges::min_element(scores) - scores.begin());
  const double limit = scores[best] + 2 * share * (square + norm(best));
  std::pair found(distance(row, best), best);
  for (std::uint32_t k = 0; k < clusters_; ++k)
    if (k != best && scores[k] - 2 * share * norm(k) <= limit) found = std::min(found, {distance(row, k), k});
  return {found.second, found.first};
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

std::vector<std::uint32_t> Centres::farthest(std::span<const RowState> rows) const {
  if (empty_.empty()) return {};
  // The relative error of the sum of n numbers is at most n 2^-53, so that even n equal rows may be apart from their
  // centre.
  const auto apart = [&](std::uint32_t r) {
    const double share = (count(rows[r].nearest) + 4) * kEpsilon;
    return rows[r].distance > share * share * norm(rows[r].nearest) ? rows[r].distance : 0;
  };
  std::vector<std::uint32_t> found = io::largest(rows.size(), empty_.size(), apart);
  std::erase_if(found, [&](std::uint32_t r) { return apart(r) == 0; });
  return found;
}

}  // namespace rota::kmeans
