// apps/kmeans/centres.h -- the centres of the clusters, from the table "sums", and the distances of rows to them.
//
// Row j of the table has, for every cluster k, S_jk = the sum of x_j over the cluster's members; the row after the last
// column has n_k, the number of members.  So c_jk = S_jk / n_k, computed as S_jk (1 / n_k).  A cluster without members
// has no centre, and no row is near it.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rota/io/sparse_matrix.h"

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
  double distance = 0;                    // to the nearest centre, squared

  void fields(auto& list) { list(nearest, target, cluster, best, distance); }
};

class Centres {
 public:
  Centres() = default;
  // `table` has all rows of the table, one after the other.  It is not copied, and must outlive this.
  Centres(std::span<const double> table, std::uint32_t clusters);
  Centres(std::vector<double>&& table, std::uint32_t clusters) : Centres(std::span<const double>(table), clusters) {
    own_ = std::move(table);
  }
  Centres(Centres&&) = default;
  Centres& operator=(Centres&&) = default;

  std::uint32_t clusters() const { return clusters_; }
  std::uint64_t columns() const { return columns_; }
  double count(std::uint32_t k) const { return table_[columns_ * clusters_ + k]; }
  double value(std::uint64_t column, std::uint32_t k) const {
    return column < columns_ ? table_[column * clusters_ + k] * inverse_counts_[k] : 0;
  }
  // The clusters without members, ascending.
  const std::vector<std::uint32_t>& empty() const { return empty_; }

  // The nearest centre of a row, and the squared distance; of equally near ones the first.  `square` is |x|^2, `scores`
  // scratch for a number of every cluster.  Columns that the centres lack are 0 in all of them.
  std::pair<std::uint32_t, double> nearest(const io::SparseRow& row, double square, std::span<double> scores) const;
  // The squared distances of a row to all centres, with a relative error of about 1e-6.
  void distances(const io::SparseRow& row, double square, std::span<double> out) const;
  // The squared distance of a row to a centre, with a relative error of about 1e-12 for any distance of both from the
  // origin, or an error of 1e-31 |c_k|^2, which is less than the rounding of c_k causes.
  double distance(const io::SparseRow& row, std::uint32_t k) const;
  // Rows for the empty clusters: those farthest from their centres, the farthest first; none within the rounding of its
  // centre.
  std::vector<std::uint32_t> farthest(std::span<const RowState> rows) const;

 private:
  // |x - c_k|^2 - |x|^2 of all k, and their error as a share of |x|^2 + 2 |c_k|^2.
  double scores_of(const io::SparseRow& row, std::span<double> scores) const;
  double norm(std::uint32_t k) const { return norms_[k].high; }

  std::vector<double> own_;  // the table, or empty
  std::span<const double> table_;
  std::uint32_t clusters_ = 0;
  std::uint64_t columns_ = 0;
  std::vector<SquareSum> norms_;        // |c_k|^2; infinite without members
  std::vector<double> inverse_counts_;  // 1 / n_k; 0 without members
  std::vector<std::uint32_t> empty_;
};

}  // namespace rota::kmeans
