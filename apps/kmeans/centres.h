// apps/kmeans/centres.h -- the centres of the clusters, from the table "sums", and the rows nearest to each.
//
// Row j of the table has, for every cluster k, S_jk = the sum of x_j over the cluster's members; the row after the last
// column has n_k, the number of members.  So c_jk = S_jk / n_k, computed as S_jk (1 / n_k).  A cluster without members
// has no centre, and no row is near it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "apps/kmeans/rows.h"

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

struct Nearest {
  std::uint32_t cluster = 0;
  double distance = 0;  // squared
};

class Centres {
 public:
  // `table` has all rows of the table, one after the other; it is not copied.
  Centres(std::span<const double> table, std::uint32_t clusters);

  std::uint32_t clusters() const { return clusters_; }
  std::uint64_t columns() const { return columns_; }
  double count(std::uint32_t k) const { return table_[columns_ * clusters_ + k]; }
  double value(std::uint64_t column, std::uint32_t k) const;
  // |c_k|^2
  double norm(std::uint32_t k) const { return norms_[k].high; }
  // The squared distance of a centre to n_k equal rows that can be due to rounding: the relative error of the sum of n
  // numbers is at most n 2^-53.
  double rounding(std::uint32_t k) const;
  // The clusters without members, ascending.
  const std::vector<std::uint32_t>& empty() const { return empty_; }

  // The nearest centre of a row; of equally near ones the first.  `square` is |x|^2, `scores` scratch for a number of
  // every cluster.  Columns that the centres lack are 0 in all of them.  If no cluster has members: cluster 0, at the
  // origin.
  Nearest nearest(const Row& row, double square, std::span<double> scores) const;
  // The squared distances of a row to all centres, with a relative error of about 1e-6.
  void distances(const Row& row, double square, std::span<double> out) const;
  // The squared distance of a row to a centre, with a relative error of about 1e-12 for any distance of both from the
  // origin, or an error of 1e-31 |c_k|^2, which is less than the rounding of c_k causes.
  double distance(const Row& row, std::uint32_t k) const;

 private:
  // |x - c_k|^2 - |x|^2 of all k, and their error as a share of |x|^2 + 2 |c_k|^2.
  double scores_of(const Row& row, std::span<double> scores) const;

  std::span<const double> table_;
  std::uint32_t clusters_;
  std::uint64_t columns_;
  std::vector<SquareSum> norms_;
  std::vector<double> factors_;  // 2 / n_k; 0 without members
  std::vector<double> bias_;     // |c_k|^2; infinite without members
  std::vector<std::uint32_t> empty_;
};

// A row far from its centre, which may become the only member of an empty cluster.
struct FarRow {
  double distance;  // squared
  std::uint32_t row;
};

// All rows of a shard by their nearest centres.
struct Assignment {
  std::vector<std::uint32_t> cluster;  // of each row
  std::vector<double> distance;        // of each row, squared
  double inertia = 0;                  // their sum, in the order of the rows
  std::vector<FarRow> farthest;        // one for each empty cluster, if there are that many, the farthest first
};
Assignment assign(const Rows& rows, const Centres& centres);

// Positions of the `count` smallest keys, the smallest first; of equal ones the first.
std::vector<std::uint32_t> smallest(std::span<const double> keys, std::size_t count);

}  // namespace rota::kmeans
