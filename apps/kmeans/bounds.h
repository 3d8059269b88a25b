// apps/kmeans/bounds.h -- the nearest centres of a shard's rows, without the distances that cannot change them.
//
// For each row there is an upper bound of the distance to its own centre, and for each group of clusters a lower bound
// of the distance to every other centre of the group: those of the last scores, changed by what the centres have moved
// since (Hamerly, "Making k-means even faster", SDM 2010; groups as in Ding, Zhao, Shen, Musuvathi and Mytkowicz,
// "Yinyang k-means", ICML 2015).  If all lower bounds are above the upper one, the row stays, and is not read.  Else
// scores in single precision make better bounds, first those of its own centre's group, then those of the groups whose
// bounds failed; and if these do not decide, its distance and scores in double precision.  A row that these leave open,
// as if two centres are equally near, and one without bounds that its first scores leave open, is compared by
// Centres::nearest().  Of rows and centres of integers, scores in single precision are exact: then the first of the
// nearest centres is the nearest, as there.
//
// The result is that of Centres::nearest(), bit for bit.  Let a be a cluster, D(k) the exact squared distance to the
// centre of k in the numbers that Centres::value() has, and d(k) that which Centres::distance() computes.  nearest()
// returns the candidate of the least d(k).
//   - a is a candidate if no D(k) is less than D(a): the scores s of a and of the cluster b of the least score are both
//     within half of the limit of nearest(), so that s(a) <= D(a) - |x|^2 + error(a) <= s(b) + error(b) + error(a).
//   - No other k has d(k) <= d(a) if D(k) > D(a) by more than the errors of both distances.  With the columns n of the
//     data and the entries m of the row, |d(k) - D(k)| <= r d(k) + q |c_k|^2, with r = 2e-12 + (m + 8) 2^-52 and
//     q = ((n + 8) 2^-52)^2 for the sums in twice the precision; so it is enough that
//     D(k) > (1 + 4 r) D(a) + 4 q max |c|^2.
// So it is enough that each lower bound is above the upper one times 1 + 8 r, plus the root of 8 q max |c|^2: the rest
// is for the rounding of this, and the bounds themselves are rounded towards the safe side.
//
// Numbers in single precision are in units of 1 / t, where t is Centres::scale().  A square is |x|^2 + |c|^2 - 2 x c
// less its error E.  With u = 2^-24, the sum x c of m < 2^20 products of numbers that are rounded to single precision
// is off by at most 1.1 (m + 3) u |x| |c|, whether each product is rounded or not, and 2 |x| |c| <= |x|^2 + |c|^2. What
// is computed of it is rounded to within 6 u (|x|^2 + |c|^2).  The error of Centres::norm() is far less than what a
// row's share of errors has beyond that.  Digits below the least number are lost as well: at most m 2^-149 (|x t| + |c
// t| + 2) of x c, and 2^-149 by each operation.
#pragma once
#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/kmeans/centres.h"
#include "rota/io/sparse_matrix.h"

namespace rota::kmeans {

// What a pass over rows needs beside them.  Lengths are in the unit of the scale, squares in its square.
struct Pass {
  const Centres& centres;
  std::size_t groups, width, stride;  // of clusters; clusters of a group; bounds of a row, a multiple of 4
  double scale, unit;                 // and its square
  // Of each cluster, up to whole groups with ones that no row is near: |c|^2, or infinity and 0 without members; the
  // row's products with the centre; and a square that is not above that of its distance, nor more than 2 E below it.
  std::vector<float> squares, norms, products, near;
  std::vector<double> scores;
  std::vector<float> fresh;              // bounds of the row that may replace its own
  std::vector<float> drifts;             // of each bound, rounded up; those after the groups are above any other
  std::vector<double> own_drifts;        // of each cluster, infinite without members
  double factor, apart;                  // see root_of()
  double most;                           // |x|^2 of rows whose scores are in the range of single precision
  double lost;                           // what is lost below that range, of a square for each entry
  bool exact = false;                    // no row has bounds, and no score in single precision an error
  std::uint64_t rough = 0, unclear = 0;  // rows with scores in single precision, and those that they did not settle

  // `columns`: of the rows.
  Pass(const Centres& all, std::uint64_t columns)
      : centres(all),
        groups(all.groups()),
        width(Centres::width_of(all.clusters())),
        stride(stride_of(all)),
        scale(all.scale()),
        unit(scale * scale),
        squares(groups * width, kNone),
        norms(groups * width),
        products(groups * width),
        near(groups * width, kNone),
        scores(all.clusters()),
        fresh(stride),
        drifts(stride, -kNone),
        own_drifts(all.clusters(), kInfinity) {
    for (std::uint32_t k = 0; k < all.clusters(); ++k) {
      if (all.count(k) == 0) continue;
      squares[k] = norms[k] = static_cast<float>(all.norm(k) * unit);
      own_drifts[k] = all.own_drift(k) * scale;
    }
    const double greatest = all.greatest_norm() * unit;
    factor = 1 + 8 * (2e-12 + static_cast<double>(std::max(columns, all.columns()) + 8) * kEpsilon);
    apart = 3 * static_cast<double>(all.columns() + 8) * kEpsilon * std::sqrt(greatest);
    most = greatest <= 0x1p120 ? 0x1p120 : -1;
    lost = 0x1p-144 + 0x1p-146 * greatest;
    for (std::size_t g = 0; g < groups; ++g) drifts[g] = static_cast<float>(all.drift(g) * scale * (1 + 0x1p-23));
  }
  static constexpr float kNone = std::numeric_limits<float>::infinity();
  static std::size_t stride_of(const Centres& all) { return (all.groups() + 4) / 4 * 4; }
  std::uint32_t all_groups() const { return (1U << groups) - 1; }
};

// Numbers of a row's scores that are computed sooner than it is known which ones are needed.
constexpr std::size_t kFew = 2048;

struct Row {
  io::SparseRow all, known;
  double square;       // |x|^2, without the scale
  double share, lost;  // E is `share` of |x|^2 + |c|^2, and `lost`
  bool rough;          // whether products are computed in single precision
};

// The distance that lower bounds must be above, if that to the row's own centre is not above `upper`.
[[gnu::always_inline]] inline double root_of(const Pass& pass, double upper) {
  return upper * pass.factor + pass.apart;
}

// A bit for each group whose lower bound is not.  (The factor is for the rounding of both, and of the difference.)
[[gnu::always_inline]] inline std::uint32_t failed(const Pass& pass, const float* bounds, double upper) {
  const __m128 least = _mm_set1_ps(static_cast<float>(root_of(pass, upper)) * (1 + 0x1p-22F));
  const float* const drifts = pass.drifts.data();
  std::uint32_t bits = 0;
  for (std::size_t g = 0, stride = pass.stride; g < stride; g += 4) {
    const __m128 apart = _mm_sub_ps(_mm_loadu_ps(bounds + g), _mm_loadu_ps(drifts + g));
    bits |= static_cast<std::uint32_t>(_mm_movemask_ps(_mm_cmpngt_ps(apart, least))) << g;
  }
  return bits;
}

// Four numbers, one of them the least of a group's.
[[gnu::always_inline]] inline __m128 least_of(const float* near, std::size_t width) {
  __m128 least = _mm_min_ps(_mm_loadu_ps(near), _mm_loadu_ps(near + 4));
  for (std::size_t k = 8; k < width; k += 4) least = _mm_min_ps(least, _mm_loadu_ps(near + k));
  return least;
}
// Replaces the bounds of the groups with scores, a bit for each, if they are less than what `near` says: a distance
// that is not more than that to any centre, plus the drift until now.
[[gnu::always_inline]] inline void raise_lower(const Pass& pass, std::uint32_t scored, float* bounds) {
  const float *const near = pass.near.data(), *const drifts = pass.drifts.data();
  const std::size_t width = pass.width;
  for (std::size_t g = 0; scored != 0; g += 4, scored >>= 4) {
    if ((scored & 15) == 0) continue;
    __m128 a = _mm_setzero_ps(), b = a, c = a, d = a;
    if ((scored & 1) != 0) a = least_of(near + g * width, width);
    if ((scored & 2) != 0) b = least_of(near + (g + 1) * width, width);
    if ((scored & 4) != 0) c = least_of(near + (g + 2) * width, width);
    if ((scored & 8) != 0) d = least_of(near + (g + 3) * width, width);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    const __m128 square = _mm_max_ps(_mm_min_ps(_mm_min_ps(a, b), _mm_min_ps(c, d)), _mm_setzero_ps());
    const __m128 bound =
        _mm_mul_ps(_mm_add_ps(_mm_sqrt_ps(square), _mm_loadu_ps(drifts + g)), _mm_set1_ps(1 - 0x1p-21F));
    _mm_storeu_ps(bounds + g, _mm_max_ps(_mm_loadu_ps(bounds + g), _mm_min_ps(bound, _mm_set1_ps(FLT_MAX))));
  }
}
// A distance that is not less than that to the centre.
[[gnu::always_inline]] inline double upper_of(const Pass& pass, const Row& row, std::size_t k) {
  const double near = pass.near[k], error = row.share * (pass.norms[k] + row.square * pass.unit) + row.lost;
  if (!(near < 0x1p120)) return kInfinity;
  return std::sqrt(std::max(0.0, near + 2.01 * error + 0x1p-21 * std::abs(near) + 0x1p-125)) * (1 + 4 * kEpsilon);
}
// The same less the drift until now.
[[gnu::always_inline]] inline float without_drift(double upper, double drift) {
  const double up = std::max<double>(-FLT_MAX, (upper - drift) + 0x1p-22 * (upper + drift) + FLT_MIN);
  return up <= FLT_MAX ? static_cast<float>(up) : Pass::kNone;
}

// `near` from scores in double precision, of the clusters [k, end).
[[gnu::always_inline]] inline void take_scores(Pass& pass, const Row& row, std::uint32_t k, std::uint32_t end) {
  for (; k < end; ++k) {
    if (pass.scores[k] == kInfinity) {
      pass.near[k] = Pass::kNone;
      continue;
    }
    const double square = pass.scores[k] + row.square - row.share * (row.square + pass.centres.norm(k));
    const double down = square * pass.unit * (1 - 0x1p-22);
    pass.near[k] = down < FLT_MIN ? 0 : static_cast<float>(std::min<double>(down, FLT_MAX));
  }
}
[[gnu::always_inline]] inline const Eight& eight(const float* from) {
  return *reinterpret_cast<const Eight*>(from);
}
// `near` of the groups [g, end).
[[gnu::always_inline]] inline void score_groups(Pass& pass, const Row& row, std::size_t g, std::size_t end) {
  if (row.rough) {
    pass.centres.rough_products(row.known, g, end, pass.products);
    const float share = static_cast<float>(row.share);
    const float rest = static_cast<float>(row.square * pass.unit * (1 - row.share) - row.lost);
    const float *const squares = pass.squares.data(), *const norms = pass.norms.data();
    const float* const products = pass.products.data();
    float* const near = pass.near.data();
    for (std::size_t k = g * pass.width, last = end * pass.width; k < last; k += 8)
      *reinterpret_cast<Eight*>(near + k) =
          (eight(squares + k) - share * eight(norms + k)) - 2 * eight(products + k) + rest;
  } else {
    const std::uint32_t first = pass.centres.begin_of(g), last = pass.centres.end_of(end - 1);
    pass.centres.score(row.known, first, last, pass.scores);
    take_scores(pass, row, first, last);
  }
}

// Whether scores settle which centre is the nearest.  `upper` is not below the row's distance to its own centre;
// infinite if it has none.
[[gnu::always_inline]] inline bool settles(Pass& pass, const Row& row, RowState& state, float* bounds, double upper) {
  const std::size_t own = state.nearest, home = own / pass.width;
  const bool has_own = upper < kInfinity;
  std::uint32_t scored = pass.all_groups();
  if (!has_own || pass.groups <= 4 || row.known.columns.size() * pass.near.size() < kFew) {  // as fast as some of them
    score_groups(pass, row, 0, pass.groups);
    if (has_own) upper = std::min(upper, upper_of(pass, row, own));
  } else {
    score_groups(pass, row, home, home + 1);
    upper = std::min(upper, upper_of(pass, row, own));
    std::uint32_t open = failed(pass, bounds, upper) & pass.all_groups() & ~(1U << home);
    if (2 * static_cast<std::size_t>(std::popcount(open)) > pass.groups) {
      score_groups(pass, row, 0, pass.groups);
    } else {
      scored = open | 1U << home;
      while (open != 0) {
        const auto g = static_cast<std::size_t>(std::countr_zero(open));
        const auto end = g + static_cast<std::size_t>(std::countr_one(open >> g));
        score_groups(pass, row, g, end);
        open &= ~0U << end;
      }
    }
  }
  const float own_near = has_own ? std::exchange(pass.near[own], Pass::kNone) : Pass::kNone;
  if (has_own) {
    raise_lower(pass, scored, bounds);
    bounds[pass.stride - 1] = without_drift(upper, pass.own_drifts[state.nearest]);
    if (failed(pass, bounds, upper) == 0) return true;
  }
  std::size_t best = pass.near.size();
  float least = own_near;
  for (std::uint32_t left = scored; left != 0; left &= left - 1) {
    const auto g = static_cast<std::size_t>(std::countr_zero(left));
    for (std::size_t k = g * pass.width; k < (g + 1) * pass.width; ++k)
      if (pass.near[k] < least) least = pass.near[best = k];
  }
  if (best == pass.near.size()) return false;
  upper = upper_of(pass, row, best);
  pass.near[best] = Pass::kNone;
  if (has_own) {
    pass.near[own] = own_near;
    std::copy_n(bounds, pass.stride, pass.fresh.begin());
    scored = 1U << home | 1U << (best / pass.width);
    pass.fresh[home] = pass.fresh[best / pass.width] = 0;
  } else {
    std::ranges::fill(pass.fresh, 0.0F);
  }
  raise_lower(pass, scored, pass.fresh.data());
  if (!pass.exact && failed(pass, pass.fresh.data(), upper) != 0) return false;
  state.nearest = static_cast<std::uint32_t>(best);
  state.distance = kUnknown;
  pass.fresh.back() = without_drift(upper, pass.own_drifts[state.nearest]);
  std::ranges::copy(pass.fresh, bounds);
  return true;
}

// The row's distance to its own centre, and the upper bound.
[[gnu::always_inline]] inline void know_distance(const Pass& pass, const io::SparseRow& row, RowState& state,
                                                 float& upper) {
  if (state.distance == kUnknown) state.distance = pass.centres.distance(row, state.nearest);
  upper = without_drift(root_of(pass, std::sqrt(state.distance) * pass.scale), pass.own_drifts[state.nearest]);
}

// `known`: whether there are bounds; `next`: whether the distances are of the version before.
ROTA_WIDEST_REGISTERS static void assign_rows(Pass& pass, const io::SparseMatrix& rows, const double* squares,
                                              RowState* states, float* bounds, bool known, bool next) {
  constexpr std::uint64_t kMostEntries = 1 << 20;
  const Centres& centres = pass.centres;
  for (std::uint64_t r = 0; r < rows.rows; ++r, bounds += pass.stride) {
    RowState& state = states[r];
    const std::uint64_t entries = rows.begins[r + 1] - rows.begins[r];
    float& last = bounds[pass.stride - 1];
    double upper = known ? last + pass.own_drifts[state.nearest] : kInfinity;
    if (known && (!next || centres.changed(state.nearest))) state.distance = kUnknown;
    if (known && failed(pass, bounds, upper) == 0) {
      state.target = state.nearest;
      continue;
    }
    const io::SparseRow all = rows[r];
    Row row{all, centres.known_of(all), squares[r], 0, 0, true};
    const bool helps = pass.rough < 64 || pass.unclear < pass.rough / 8;
    bool settled = false;
    if (const double square = row.square * pass.unit; helps && square <= pass.most && entries < kMostEntries) {
      if (!pass.exact) {
        row.share = 1.2 * static_cast<double>(entries + 10) * 0x1p-24;
        row.lost = static_cast<double>(entries + 8) * (pass.lost + 0x1p-146 * square);
      }
      settled = settles(pass, row, state, bounds, upper);
      ++pass.rough;
      pass.unclear += settled ? 0 : 1;
    }
    if (!settled) {
      row.rough = false;
      row.share = 4 * Centres::error_of(row.known);
      row.lost = 0;
      if (known && pass.own_drifts[state.nearest] < kInfinity) {
        know_distance(pass, row.all, state, last);
        upper = last + pass.own_drifts[state.nearest];
        settled = failed(pass, bounds, upper) == 0 || settles(pass, row, state, bounds, upper);
      }
    }
    if (!settled) {
      std::tie(state.nearest, state.distance) = centres.nearest(row.all, row.square, pass.scores);
      take_scores(pass, row, 0, centres.clusters());
      pass.near[state.nearest] = Pass::kNone;
      std::fill_n(bounds, pass.groups, 0.0F);
      raise_lower(pass, pass.all_groups(), bounds);
      know_distance(pass, row.all, state, last);
    }
    state.target = state.nearest;
  }
}

class Bounds {
 public:
  // The nearest centre of each row, and the squared distance, or kUnknown.  `squares`: |x|^2 of the rows.
  // Bounds continue from any version of the centres to a later one.
  // REQUIRES: the centres were begun to be followed; `nearest` and `distance` are those of the last call, or forget()
  // was called.
  void assign(const Centres& centres, const io::SparseMatrix& rows, std::span<const double> squares,
              std::span<RowState> states) {
    Pass pass(centres, rows.columns);
    const bool known = bounds_.size() == rows.rows * pass.stride && version_ >= centres.since();
    if (!known) {
      bounds_.assign(rows.rows * pass.stride, FLT_MAX);
      pass.exact = centres.exact() && std::ranges::all_of(squares, [](double x) { return x <= kExactSquare; }) &&
                   all_integers(rows.values);
    }
    assign_rows(pass, rows, squares.data(), states.data(), bounds_.data(), known, version_ + 1 == centres.version());
    version_ = centres.version();
  }
  // Of rows whose states are others now.
  void forget() { bounds_.clear(); }

 private:
  std::vector<float> bounds_;  // of each row, Pass::stride numbers
  std::uint64_t version_ = 0;  // of the centres
};

}  // namespace rota::kmeans
