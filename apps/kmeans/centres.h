// apps/kmeans/centres.h -- the centres of the clusters, from the table "sums", and the distances of rows to them.
//
// The table has, for every column j and cluster k, S_jk = the sum of x_j over the cluster's members, and after those of
// the last column n_k, the number of members.  So c_jk = S_jk / n_k, computed as S_jk (1 / n_k).  A cluster without
// members has no centre, and no row is near it.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
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

// Of vectors of integers whose squared length is at most this, sums of products and of squares are exact in single
// precision, as are the squares of their distances.
inline constexpr double kExactSquare = 0x1p22;
// REQUIRES: |x| < 2^31.
inline bool all_integers(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double x) { return x == static_cast<std::int32_t>(x); });
}

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

// The same of `count` clusters, a multiple of eight.  Only bounds are made of it, and these hold whether products are
// rounded before they are added or not: so the processor may fuse both.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define ROTA_FUSED [[gnu::target_clones("arch=x86-64-v3", "default"), gnu::optimize("fp-contract=fast")]]
#else
#define ROTA_FUSED ROTA_WIDEST_REGISTERS
#endif
ROTA_FUSED static void rough_products(const io::SparseRow& row, double scale, const float* centres, std::size_t stride,
                                      std::size_t count, float* out) {
  for (; count >= 64; count -= 64, centres += 64, out += 64) rough_products_of<8>(row, scale, centres, stride, out);
  rough_products_upto<7>(count / 8, row, scale, centres, stride, out);
}

// Four numbers that are handled at once.
using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
using FourFloats [[gnu::vector_size(16), gnu::aligned(4), gnu::may_alias]] = float;

// What a pass over columns computes of four clusters, one in each lane.
struct Measured {
  Four high = {}, low = {};  // |c_k|^2 = high + low
  Four drift = {};           // the sum of the squares of what single precision sees of their moves
};

// For those who follow the centres: those of now in single precision, times `scale`, replace those before.
struct Followed {
  float* rough = nullptr;  // in rows of `stride`
  double scale = 1;
  std::size_t stride = 0;
};

// Of at most kBlock columns, and the fours of clusters that are wanted; adds to `out`.  `inverse_counts` and the rows
// of the followed end with a whole four.
inline constexpr std::size_t kBlock = 16;
template <bool follow>
[[gnu::always_inline]] inline void measure_block(std::span<const double> sums, std::size_t columns,
                                                 std::size_t clusters, const char* wanted, const double* inverse_counts,
                                                 Followed followed, Measured* out) {
  const double* const end = sums.data() + sums.size();
  for (std::size_t k = 0; k < clusters; k += 4, ++out) {
    if (wanted[k / 4] == 0) continue;
    const Four inverse = *reinterpret_cast<const Four*>(inverse_counts + k);
    const double* from = sums.data() + k;
    float* rough = followed.rough + k;
    Four square = {};
    FourFloats drift = {};
    const auto add = [&](const Four& numbers) [[gnu::always_inline]] {
      const Four c = numbers * inverse;
      square += c * c;
      if constexpr (follow) {
        auto& before = *reinterpret_cast<FourFloats*>(rough);
        const FourFloats now = __builtin_convertvector(c * followed.scale, FourFloats), moved = now - before;
        drift += moved * moved;
        before = now;
      }
    };
    std::size_t j = 0;  // the next column's numbers that a four may have get the factor 0
    for (; j < columns && end - from >= 4; ++j, from += clusters, rough += followed.stride)
      add(*reinterpret_cast<const Four*>(from));
    for (; j < columns; ++j, from += clusters, rough += followed.stride) {
      double last[4] = {};
      std::copy(from, end, last);
      add(*reinterpret_cast<const Four*>(last));
    }
    const Four sum = out->high + square, added = sum - out->high;  // TwoSum (Knuth)
    out->low += (out->high - (sum - added)) + (square - added);
    out->high = sum;
    if constexpr (follow) out->drift += __builtin_convertvector(drift, Four);
  }
}
ROTA_WIDEST_REGISTERS static void measure_columns(std::span<const double> sums, std::size_t columns,
                                                  std::size_t clusters, const char* wanted,
                                                  const double* inverse_counts, const Followed* followed,
                                                  Measured* out) {
  if (followed == nullptr) return measure_block<false>(sums, columns, clusters, wanted, inverse_counts, {}, out);
  measure_block<true>(sums, columns, clusters, wanted, inverse_counts, *followed, out);
}

class Centres {
 public:
  Centres() = default;
  // `table` has all rows of the table, one after the other.  It is not copied, and must outlive this.
  Centres(std::span<const double> table, std::uint32_t clusters) {
    begin(table, clusters, false);
    measure_all();
  }
  Centres(std::vector<double>&& table, std::uint32_t clusters) {
    begin(std::move(table), clusters, false);
    measure_all();
  }
  Centres(Centres&&) = default;
  Centres& operator=(Centres&&) = default;

  // The same in parts: then measure() makes each of parts_of(columns), in any order and by any threads.  If `follow`,
  // the centres continue those of the last begin() that followed: see drift().  `changed`: the clusters whose sums may
  // be others than then, if that is known.
  void begin(std::span<const double> table, std::uint32_t clusters, bool follow,
             const std::vector<std::uint32_t>* changed = nullptr) {
    own_ = {};
    table_ = table;
    followed_ = follow;
    columns_ = table.size() / clusters - 1;
    const std::size_t fours = (clusters + 3) / 4;
    if (const std::size_t rough = follow ? columns_ * (stride_of(clusters) / 8) : 0;
        (rescaled_ = std::exchange(clusters_, clusters) != clusters || rough_.size() != rough)) {
      rough_.assign(rough, {});
      drift_.assign(groups(), 0);
      own_drift_.assign(clusters, 0);
      since_.assign(groups(), 0);
      norms_.assign(clusters, 0);
      inverse_counts_.clear();
      scale_ = 1;
    }
    last_inverse_counts_ = std::exchange(inverse_counts_, std::vector<double>(4 * fours));
    last_inverse_counts_.resize(4 * fours);
    empty_.clear();
    for (std::uint32_t k = 0; k < clusters; ++k)
      if (count(k) > 0)
        inverse_counts_[k] = 1 / count(k);
      else
        empty_.push_back(k);
    // Bounds do not continue from one scale to another.
    const double greatest = greatest_norm(), scaled = greatest * scale_ * scale_;
    if (scaled > 0 && (scaled < 0x1p-60 || scaled > 0x1p80)) {
      scale_ = std::exp2(-std::ilogb(greatest) / 2);
      rescaled_ = true;
    }
    if (follow) ++version_;
    const bool all = changed == nullptr || rescaled_ || !follow;
    changed_.assign(clusters, all ? 1 : 0);
    wanted_.assign(fours, all ? 1 : 0);
    if (!all)
      for (const std::uint32_t k : *changed) changed_[k] = wanted_[k / 4] = 1;
    missing_ = parts_of(columns_);
    moved_.assign(groups(), 0);
    measured_.resize(missing_ * fours);
    exact_ = std::make_unique<Exact>(clusters);
  }
  // The same of a table that this keeps.
  void begin(std::vector<double>&& table, std::uint32_t clusters, bool follow) {
    begin(std::span<const double>(table), clusters, follow);
    own_ = std::move(table);
  }
  static std::size_t parts_of(std::uint64_t columns) {
    return std::max<std::size_t>(1, (columns + columns_of_part(columns) - 1) / columns_of_part(columns));
  }
  void measure(std::size_t part) {
    const std::uint64_t size = columns_of_part(columns_), end = std::min((part + 1) * size, columns_);
    Measured* const out = &measured_[part * wanted_.size()];
    std::fill_n(out, wanted_.size(), Measured());
    for (std::uint64_t j = part * size; j < end; j += kBlock) {
      const Followed followed{rough(0) + j * stride(), scale_, stride()};
      measure_columns(table_.subspan(j * clusters_), std::min(kBlock, end - j), clusters_, wanted_.data(),
                      inverse_counts_.data(), followed_ ? &followed : nullptr, out);
    }
    if (std::atomic_ref(missing_).fetch_sub(1) == 1) add_parts();
  }
  void measure_all() {
    for (std::size_t part = 0; part < parts_of(columns_); ++part) measure(part);
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
  // Whether the centre may differ from that of the version before.
  bool changed(std::uint32_t k) const { return changed_[k] != 0; }

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
  [[gnu::always_inline]] io::SparseRow known_of(const io::SparseRow& row) const {
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
  // |c_k|^2, so it is at most (m + 16) 2^-53.
  static double error_of(const io::SparseRow& known) {
    return static_cast<double>(known.columns.size() + 16) * kEpsilon;
  }
  // |c_k|^2, infinite without members.  The relative error is at most 18 2^-53: each block's sum has kBlock roundings
  // and those of the squares, and the sum of the blocks has twice the precision.
  double norm(std::uint32_t k) const { return norms_[k]; }
  double greatest_norm() const {  // of those with members
    double most = 0;
    for (const double norm : norms_)
      if (norm < kInfinity) most = std::max(most, norm);
    return most;
  }

  // Whether all are rows of integers, as rows of counts or of zeros and ones are when they are drawn, of which
  // distances are exact.
  bool exact() const {
    const auto is_row = [](double inverse) { return inverse == 1 || inverse == 0; };
    return std::ranges::all_of(inverse_counts_, is_row) && greatest_norm() <= kExactSquare && scale_ == 1 &&
           all_integers(table_.first(columns_ * clusters_));
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
  [[gnu::always_inline]] void rough_products(const io::SparseRow& known, std::size_t g, std::size_t end,
                                             std::span<float> out) const {
    const std::uint32_t first = begin_of(g);
    rota::kmeans::rough_products(known, scale_, rough(first), stride(), begin_of(end) - first, out.data() + first);
  }
  double scale() const { return scale_; }  // a power of 2

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
    if (static_cast<double>(row.columns.size() + 16) * kEpsilon * norm(k) <= 1e-12 * roughly) return roughly;
    SquareSum exact;
    for (const std::uint32_t column : row.columns) exact.add(value(column, k));
    const SquareSum all = exact_norm(k);
    return apart + std::max(0.0, (all.high - exact.high) + (all.low - exact.low));
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
  struct Exact {
    explicit Exact(std::uint32_t clusters) : once(clusters), norms(clusters) {}
    std::vector<std::once_flag> once;
    std::vector<SquareSum> norms;
  };

  // At most 16 parts, of whole blocks.
  static std::uint64_t columns_of_part(std::uint64_t columns) {
    return std::max<std::uint64_t>(32, (columns / 16 / kBlock + 1)) * kBlock;
  }
  // |c_k|^2 in twice the precision, computed by the first that asks.
  const SquareSum& exact_norm(std::uint32_t k) const {
    std::call_once(exact_->once[k], [&] {
      for (std::uint64_t j = 0; j < columns_; ++j) exact_->norms[k].add(value(j, k));
    });
    return exact_->norms[k];
  }
  // What the parts have measured, of the clusters that may have changed.
  void add_parts() {
    const std::size_t parts = measured_.size() / wanted_.size();
    for (std::uint32_t k = 0; k < clusters_; ++k) {
      if (changed_[k] == 0) continue;
      double high = 0, low = 0, square = 0;
      for (std::size_t part = 0; part < parts; ++part) {
        const Measured& its = measured_[part * wanted_.size() + k / 4];
        const double sum = high + its.high[k % 4], added = sum - high;
        low += ((high - (sum - added)) + (its.high[k % 4] - added)) + its.low[k % 4];
        high = sum;
        square += its.drift[k % 4];
      }
      const bool has_members = inverse_counts_[k] > 0;
      const double before = std::exchange(norms_[k], has_members ? high + low : kInfinity);
      if (!followed_ || !has_members) continue;  // nothing is nearer to an empty cluster than before
      double& most = moved_[k / width_of(clusters_)];
      if (rescaled_ || last_inverse_counts_[k] == 0 || !(norms_[k] * scale_ * scale_ <= 0x1p240)) {
        most = kInfinity;
        continue;
      }
      // Each number of single precision, each square and each sum of a block is rounded by 2^-24 of it, and what is
      // below the least number is lost.
      const double seen = std::sqrt(square * (1 + 0x1p-18) + static_cast<double>(columns_) * 0x1p-148) / scale_;
      const double drift = seen + 0x1p-23 * (std::sqrt(norms_[k]) + std::sqrt(before));
      most = std::max(most, drift);
      own_drift_[k] = (own_drift_[k] + drift) * (1 + 4 * kEpsilon);
    }
    for (std::uint32_t g = 0; followed_ && g < groups(); ++g) {
      if (moved_[g] < kInfinity && drift_[g] < 1e300) {
        drift_[g] = (drift_[g] + moved_[g]) * (1 + 4 * kEpsilon);  // not less than the exact sum
      } else {                                                     // a cluster that was empty, for example
        drift_[g] = 0;
        std::fill(own_drift_.begin() + begin_of(g), own_drift_.begin() + end_of(g), 0);
        since_[g] = version_;
      }
    }
  }

  static std::size_t stride_of(std::uint32_t clusters) { return groups_of(clusters) * width_of(clusters); }
  std::size_t stride() const { return stride_of(clusters_); }
  const float* rough(std::uint32_t k) const { return reinterpret_cast<const float*>(rough_.data()) + k; }
  float* rough(std::uint32_t k) { return reinterpret_cast<float*>(rough_.data()) + k; }

  std::vector<double> own_;  // the table, or empty
  std::span<const double> table_;
  std::uint32_t clusters_ = 0;
  std::uint64_t columns_ = 0;
  std::vector<double> norms_;
  std::vector<double> inverse_counts_, last_inverse_counts_;  // 1 / n_k; 0 without members, and up to a whole four
  std::vector<char> changed_, wanted_;                        // of each cluster, and of each four
  std::vector<Measured> measured_;                            // part after part, each four
  std::size_t missing_ = 0;                                   // parts that are not measured yet
  std::unique_ptr<Exact> exact_;
  std::vector<std::uint32_t> empty_;
  bool followed_ = false;
  std::vector<EightFloats> rough_;  // c_jk times scale_ of the last begin(): column after column, each stride() numbers
  double scale_ = 1;
  bool rescaled_ = false;             // by the last begin(), or it was the first
  std::vector<double> moved_;         // of each group: since the last begin()
  std::vector<double> drift_;         // of each group
  std::vector<double> own_drift_;     // of each cluster
  std::vector<std::uint64_t> since_;  // version from which it counts
  std::uint64_t version_ = 0;
};

}  // namespace rota::kmeans
