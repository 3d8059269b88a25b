// apps/kmeans/centres.h -- the centres of the clusters, from the table "sums", and the distances of rows to them.
//
// Row j of the table has, for every cluster k, S_jk = the sum of x_j over the cluster's members; the row after the last
// column has n_k, the number of members.  So c_jk = S_jk / n_k, computed as S_jk (1 / n_k).  A cluster without members
// has no centre, and no row is near it.
#pragma once
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "rota/io/report_text.h"
#include "rota/io/sparse_matrix.h"
#include "rota/numerics/widest_registers.h"

namespace rota::kmeans {

// A sum of squares in about twice the precision of a double: "Dot2" of Ogita, Rump and Oishi, "Accurate sum and dot
// product", SIAM Journal on Scientific Computing 2005.
struct SquareSum {
  double high = 0, low = 0;

  void add(double x) {
    const double square = x * x, scaled = x * 134217729.0;  // 2^27 + 1: splits x into two halves of 26 bits
    const double upper = scaled - (scaled - x), lower = x - upper;
    const double sum = high + square, added = sum - high;
    low +=
        ((high - (sum - added)) + (square - added)) + (((upper * upper - square) + 2 * upper * lower) + lower * lower);
    high = sum;
  }
};

inline double square_of(std::span<const double> x) {  // |x|^2
  double sum = 0;
  for (const double number : x) sum += number * number;
  return sum;
}

// What a shard knows of a row, and saves.
struct RowState {
  std::uint32_t nearest = 0, target = 0;  // cluster of the nearest centre, and where the row goes in the next epoch
  std::uint32_t cluster = 0, best = 0;    // in whose sums it is; the same of the best start
  double distance = 0;                    // to the nearest centre, squared; kUnknown until it is needed

  void fields(auto& list) { list(nearest, target, cluster, best, distance); }
};

inline constexpr double kUnknown = -1;
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// scores[k] = sum_j x_j S_jk for clusters from k on, `Width` at once while there are as many before `end`: the sums
// stay in registers during the loop over the row, and the numbers read of each column are contiguous.  Returns the next
// k.
template <std::size_t Width>
[[gnu::always_inline]] inline std::size_t products_from(std::size_t k, std::size_t end, const io::SparseRow& row,
                                                        const double* sums, std::size_t clusters, double* scores) {
  for (; k + Width <= end; k += Width) {
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

ROTA_WIDEST_REGISTERS static void products(std::size_t k, std::size_t end, const io::SparseRow& row, const double* sums,
                                           std::size_t clusters, double* scores) {
  k = products_from<16>(k, end, row, sums, clusters, scores);
  k = products_from<8>(k, end, row, sums, clusters, scores);
  k = products_from<4>(k, end, row, sums, clusters, scores);
  products_from<1>(k, end, row, sums, clusters, scores);
}

// Of `Vectors` times eight clusters: out[i] = sum_j (x_j scale) c_ji, in single precision.  The sums stay in registers.
using Eight [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = float;
template <std::size_t Vectors>
[[gnu::always_inline]] inline void rough_products_of(const io::SparseRow& row, double scale, const float* centres,
                                                     std::size_t stride, float* out) {
  Eight acc[Vectors] = {};
  for (std::size_t e = 0; e < row.columns.size(); ++e) {
    const auto* const from = reinterpret_cast<const Eight*>(centres + row.columns[e] * stride);
    const auto x = static_cast<float>(row.values[e] * scale);
    for (std::size_t v = 0; v < Vectors; ++v) acc[v] += x * from[v];
  }
  for (std::size_t v = 0; v < Vectors; ++v) reinterpret_cast<Eight*>(out)[v] = acc[v];
}

// The same of eight times `vectors` clusters, at most `Most`.
template <std::size_t Most>
[[gnu::always_inline]] inline void rough_products_upto(std::size_t vectors, const io::SparseRow& row, double scale,
                                                       const float* centres, std::size_t stride, float* out) {
  if constexpr (Most > 0) {
    if (vectors == Most) return rough_products_of<Most>(row, scale, centres, stride, out);
    rough_products_upto<Most - 1>(vectors, row, scale, centres, stride, out);
  }
}

// The same of `count` clusters, a multiple of eight.
ROTA_WIDEST_REGISTERS static void rough_products(const io::SparseRow& row, double scale, const float* centres,
                                                 std::size_t stride, std::size_t count, float* out) {
  for (; count >= 64; count -= 64, centres += 64, out += 64) rough_products_of<8>(row, scale, centres, stride, out);
  rough_products_upto<7>(count / 8, row, scale, centres, stride, out);
}

// What one pass over the table computes of each cluster.
struct Measured {
  SquareSum norm;     // |c_k|^2
  double drift = 0;   // |c_k - last_k|^2, roughly
  double change = 0;  // not 0 if any number of c_k is not that of last_k
};

// The centres of a group of clusters, which begins at `first`, for those who follow them.
struct Followed {
  double* last;  // the numbers before, in rows of the group's clusters; those of now replace them
  float* rough;  // of now, times `scale`, in rows of `stride`
  double scale;
  std::size_t stride;
};

// Of the clusters [k, k + Width) of a group that begins at `first`.
template <std::size_t Width>
[[gnu::always_inline]] inline std::size_t measure_from(std::size_t k, std::size_t first, std::size_t end,
                                                       const double* sums, std::uint64_t columns, std::size_t clusters,
                                                       const double* inverse_counts, const Followed* followed,
                                                       Measured* out) {
  for (; k + Width <= end; k += Width) {
    SquareSum norm[Width];
    double drift[Width] = {}, change[Width] = {};
    const double scale = followed == nullptr ? 0 : followed->scale;
    for (std::uint64_t j = 0; j < columns; ++j) {
      double c[Width];
      for (std::size_t i = 0; i < Width; ++i) c[i] = sums[j * clusters + k + i] * inverse_counts[k + i];
      for (std::size_t i = 0; i < Width; ++i) norm[i].add(c[i]);
      if (followed == nullptr) continue;
      double* const before = followed->last + j * (end - first) + (k - first);
      float* const rough = followed->rough + j * followed->stride + (k - first);
      for (std::size_t i = 0; i < Width; ++i) {
        const double moved = c[i] - before[i];
        drift[i] += moved * moved;
        change[i] = std::max(change[i], std::abs(moved));
        before[i] = c[i];
        rough[i] = static_cast<float>(std::clamp<double>(c[i] * scale, -FLT_MAX, FLT_MAX));
      }
    }
    for (std::size_t i = 0; i < Width; ++i) out[k + i] = {norm[i], drift[i], change[i]};
  }
  return k;
}

ROTA_WIDEST_REGISTERS static void measure_group(std::size_t first, std::size_t end, const double* sums,
                                                std::uint64_t columns, std::size_t clusters,
                                                const double* inverse_counts, const Followed* followed, Measured* out) {
  std::size_t k = measure_from<8>(first, first, end, sums, columns, clusters, inverse_counts, followed, out);
  k = measure_from<4>(k, first, end, sums, columns, clusters, inverse_counts, followed, out);
  measure_from<1>(k, first, end, sums, columns, clusters, inverse_counts, followed, out);
}

class Centres {
 public:
  Centres() = default;
  // `table` has all rows of the table, one after the other.  It is not copied, and must outlive this.
  Centres(std::span<const double> table, std::uint32_t clusters) {
    begin(table, clusters, false);
    for (std::size_t group = 0; group < groups(); ++group) measure(group);
  }
  Centres(std::vector<double>&& table, std::uint32_t clusters) : Centres(std::span<const double>(table), clusters) {
    own_ = std::move(table);
  }
  Centres(Centres&&) = default;
  Centres& operator=(Centres&&) = default;

  // The same in parts: then measure() makes each group of clusters, in any order and by any threads.  If `follow`, the
  // centres continue those of the last begin() that followed: see drift().
  void begin(std::span<const double> table, std::uint32_t clusters, bool follow) {
    own_.clear();
    table_ = table;
    followed_ = follow;
    columns_ = table.size() / clusters - 1;
    const bool fresh = std::exchange(clusters_, clusters) != clusters || last_.size() != columns_ * clusters;
    if (follow && fresh) {
      last_.assign(columns_ * clusters, 0);
      rough_.assign(columns_ * (stride() / 8), {});
      drift_.assign(groups(), 0);
      own_drift_.assign(clusters, 0);
      since_.assign(groups(), version_ + 1);
      inverse_counts_.clear();
    }
    if (follow) ++version_;
    last_inverse_counts_ = std::exchange(inverse_counts_, std::vector<double>(clusters));
    last_inverse_counts_.resize(clusters);
    if (const double square = greatest_norm(); square > 0) scale_ = std::exp2(-std::ilogb(square) / 2);
    measured_.assign(clusters, {});
    empty_.clear();
    for (std::uint32_t k = 0; k < clusters; ++k)
      if (count(k) > 0)
        inverse_counts_[k] = 1 / count(k);
      else
        empty_.push_back(k);
  }
  void measure(std::size_t group) {
    const std::uint32_t end = end_of(group);
    const std::uint32_t first = begin_of(group);
    const Followed followed{last_.data() + first * columns_, rough(first), scale_, stride()};
    measure_group(first, end, table_.data(), columns_, clusters_, inverse_counts_.data(),
                  followed_ ? &followed : nullptr, measured_.data());
    double most = 0;
    for (std::uint32_t k = first; k < end; ++k) {
      if (inverse_counts_[k] == 0) measured_[k].norm = {kInfinity, 0};
      if (!followed_ || inverse_counts_[k] == 0) continue;  // nothing is nearer to an empty cluster than before
      // The sum of n squares is off by less than n kEpsilon of it, and of each n a square below the least number is
      // lost.
      const auto n = static_cast<double>(columns_) + 8;
      const double drift =
          measured_[k].change == 0 ? 0 : std::sqrt(measured_[k].drift * (1 + n * kEpsilon) + n * 1e-320);
      most = std::max(most, last_inverse_counts_[k] == 0 ? kInfinity : drift * (1 + 4 * kEpsilon));
      own_drift_[k] = (own_drift_[k] + drift * (1 + 4 * kEpsilon)) * (1 + 4 * kEpsilon);
    }
    if (!followed_) return;
    if (most < kInfinity && drift_[group] < 1e300) {
      drift_[group] = (drift_[group] + most) * (1 + 4 * kEpsilon);  // not less than the exact sum
    } else {                                                        // a cluster that was empty, for example
      drift_[group] = 0;
      std::fill(own_drift_.begin() + first, own_drift_.begin() + end, 0);
      since_[group] = version_;
    }
  }

  std::uint32_t clusters() const { return clusters_; }
  std::uint64_t columns() const { return columns_; }
  double count(std::uint32_t k) const { return table_[columns_ * clusters_ + k]; }
  double value(std::uint64_t column, std::uint32_t k) const {
    return column < columns_ ? table_[column * clusters_ + k] * inverse_counts_[k] : 0;
  }
  // Sets of clusters: at most 15, so that what is known of a row about each of them is one cache line.
  static std::uint32_t width_of(std::uint32_t clusters) { return 8 * ((clusters + 119) / 120); }
  std::size_t groups() const { return groups_of(clusters_); }
  static std::size_t groups_of(std::uint32_t clusters) {
    return (clusters + width_of(clusters) - 1) / width_of(clusters);
  }
  std::uint32_t begin_of(std::size_t group) const { return static_cast<std::uint32_t>(group) * width_of(clusters_); }
  std::uint32_t end_of(std::size_t group) const { return std::min(begin_of(group + 1), clusters_); }

  // How far the centres of a group have moved: between any two versions from since() on, the difference of the drifts
  // is at least the sum of the largest distances that one of them moved at each version between, in exact arithmetic.
  double drift(std::size_t group) const { return drift_[group]; }
  // The same of one cluster, as long as it has members.
  double own_drift(std::uint32_t k) const { return own_drift_[k]; }
  std::uint64_t version() const { return version_; }
  std::uint64_t since() const { return std::ranges::max(since_); }
  bool followed() const { return followed_; }
  // Whether the centre differs from that of the version before.
  bool changed(std::uint32_t k) const { return measured_[k].change != 0 || last_inverse_counts_[k] == 0; }

  // The clusters without members, ascending.
  const std::vector<std::uint32_t>& empty() const { return empty_; }

  // The nearest centre of a row, and the squared distance; of equally near ones the first.  `square` is |x|^2, `scores`
  // scratch for a number of every cluster.  Columns that the centres lack are 0 in all of them.
  //
  // If |x| is large compared with the distances, as for times that count from 1970, all digits of a score may be
  // rounding. So every centre that may be the nearest, within the error of the scores, is compared by its distance.
  std::pair<std::uint32_t, double> nearest(const io::SparseRow& row, double square, std::span<double> scores) const {
    const io::SparseRow known = known_of(row);
    score(known, 0, clusters_, scores);
    const double share = error_of(known);
    const auto best = static_cast<std::uint32_t>(std::ranges::min_element(scores) - scores.begin());
    const double limit = scores[best] + 2 * share * (square + norm(best));
    std::pair found(distance(row, best), best);
    for (std::uint32_t k = 0; k < clusters_; ++k)
      if (k != best && scores[k] - 2 * share * norm(k) <= limit) found = std::min(found, {distance(row, k), k});
    return {found.second, found.first};
  }
  // The entries in columns that the centres have.
  io::SparseRow known_of(const io::SparseRow& row) const {
    if (row.columns.empty() || row.columns.back() < columns_) return row;
    const auto entries =
        static_cast<std::size_t>(std::ranges::lower_bound(row.columns, columns_) - row.columns.begin());
    return {row.columns.first(entries), row.values.first(entries)};
  }
  // |x - c_k|^2 - |x|^2 = |c_k|^2 - 2 x c_k of the clusters [k, end).
  void score(const io::SparseRow& known, std::uint32_t k, std::uint32_t end, std::span<double> scores) const {
    products(k, end, known, table_.data(), clusters_, scores.data());
    for (; k < end; ++k) scores[k] = norm(k) - 2 * inverse_counts_[k] * scores[k];
  }
  // The error of scores as a share of |x|^2 + 2 |c_k|^2: x c_k is a sum of m products, and 2 |x c_k| <= |x|^2 +
  // |c_k|^2, so it is at most (m + 8) 2^-53.
  static double error_of(const io::SparseRow& known) {
    return static_cast<double>(known.columns.size() + 8) * kEpsilon;
  }
  double norm(std::uint32_t k) const { return measured_[k].norm.high; }  // |c_k|^2; infinite without members
  double greatest_norm() const {                                         // of those with members
    double most = 0;
    for (std::uint32_t k = 0; k < measured_.size(); ++k)
      if (norm(k) < kInfinity) most = std::max(most, norm(k));
    return most;
  }

  // The least and the largest |S_k|^2 of all clusters.
  std::pair<double, double> sums() const {
    double least = kInfinity, largest = 0;
    for (std::uint32_t k = 0; k < clusters_; ++k) {
      const double square = count(k) > 0 ? norm(k) * count(k) * count(k) : 0;
      least = std::min(least, square);
      largest = std::max(largest, square);
    }
    return {least, largest};
  }

  // x c_k of the clusters of the groups [g, end), times the square of the scale, in single precision, into `out` from
  // that of the first group's first cluster on.  REQUIRES: followed().
  void rough_products(const io::SparseRow& known, std::size_t g, std::size_t end, std::span<float> out) const {
    const std::uint32_t first = begin_of(g);
    rota::kmeans::rough_products(known, scale_, rough(first), stride(), begin_of(end) - first, out.data() + first);
  }
  double scale() const { return scale_; }  // a power of 2, about 1 / the largest |c_k| of the version before

  // The squared distances of a row to all centres, with a relative error of about 1e-6.
  void distances(const io::SparseRow& row, double square, std::span<double> out) const {
    const io::SparseRow known = known_of(row);
    const double share = error_of(known);
    score(known, 0, clusters_, out);
    for (std::uint32_t k = 0; k < clusters_; ++k) {
      out[k] += square;
      if (!(share * (square + 2 * norm(k)) <= 1e-6 * out[k])) out[k] = distance(row, k);
    }
  }
  // The squared distance of a row to a centre, with a relative error of about 1e-12 for any distance of both from the
  // origin, or an error of 1e-31 |c_k|^2, which is less than the rounding of c_k causes.
  //
  // sum over the row's entries of (x - c)^2 - c^2, plus |c|^2 for the columns without an entry.  c^2 is summed in the
  // same order, so there is no rounding for a row with entries in all columns.  If the difference has too few digits,
  // both sums are computed in twice the precision.
  double distance(const io::SparseRow& row, std::uint32_t k) const {
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
    return apart + std::max(0.0, (measured_[k].norm.high - exact.high) + (measured_[k].norm.low - exact.low));
  }
  // Rows for the empty clusters: those farthest from their centres, the farthest first; none within the rounding of its
  // centre.
  std::vector<std::uint32_t> farthest(std::span<const RowState> rows) const {
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

 private:
  struct alignas(32) EightFloats {
    float of[8];
  };
  std::size_t stride() const { return groups() * width_of(clusters_); }
  const float* rough(std::uint32_t k) const { return reinterpret_cast<const float*>(rough_.data()) + k; }
  float* rough(std::uint32_t k) { return reinterpret_cast<float*>(rough_.data()) + k; }

  std::vector<double> own_;  // the table, or empty
  std::span<const double> table_;
  std::uint32_t clusters_ = 0;
  std::uint64_t columns_ = 0;
  std::vector<Measured> measured_;
  std::vector<double> inverse_counts_, last_inverse_counts_;  // 1 / n_k; 0 without members
  std::vector<std::uint32_t> empty_;
  bool followed_ = false;
  std::vector<double> last_;        // c_jk of the last begin() that followed: group after group, column after column
  std::vector<EightFloats> rough_;  // the same, times scale_: column after column, each stride() numbers
  double scale_ = 1;
  std::vector<double> drift_;         // of each group
  std::vector<double> own_drift_;     // of each cluster
  std::vector<std::uint64_t> since_;  // version from which it counts
  std::uint64_t version_ = 0;
};

}  // namespace rota::kmeans
