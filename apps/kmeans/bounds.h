// apps/kmeans/bounds.h -- the nearest centres of a shard's rows, without the distances that cannot change them.
//
// For each row there is an upper bound of the distance to its own centre, and for each group of clusters a lower bound
// of the distance to every other centre of the group: those of the last scores, changed by what the centres have moved
// since (Hamerly, "Making k-means even faster", SDM 2010; groups as in Ding, Zhao, Shen, Musuvathi and Mytkowicz,
// "Yinyang k-means", ICML 2015).  If all lower bounds are above the upper one, the row stays, and is not read.  Else
// scores in single precision make better bounds, first those of its own centre's group, then those of the groups whose
// bounds failed; and if these do not decide, scores in double precision.  Only a row that these leave open, as if two
// centres are equally near, is compared by Centres::nearest().
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
// A score is |c|^2 - 2 x c.  With u = 2^-24, the sum x c of m < 2^20 products of numbers that are rounded to single
// precision is off by at most 1.1 (m + 3) u |x| |c|, whether each product is rounded or not, and 2 |x| |c| <= |x|^2 +
// |c|^2.  The error of Centres::norm() is far less than what a row's share of errors has beyond that.  Digits below the
// least number of single precision are lost as well: with the scale t of Centres::scale(), at most
// m 2^-149 (|x t| + |c t| + 2) / t^2 of x c.
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

// What a pass over rows needs beside them.
struct Pass {
  const Centres& centres;
  std::size_t groups, width, stride;  // of clusters; clusters of a group; bounds of a row, a multiple of 4
  // Of each cluster, up to whole groups with ones that no row is near: |c|^2, or infinity and 0 without members; the
  // row's products with the centre, and its scores.
  std::vector<double> squares, norms;
  std::vector<float> products;
  std::vector<double> scores;
  std::vector<double> least, lowest;     // as many: of a group's scores, and of scores less their errors of the norms
  std::vector<float> fresh;              // bounds of the row that may replace its own
  std::vector<double> drifts;            // of each bound; the upper one, the last, is above any other
  double apart;                          // the root of 8 q max |c|^2, or more
  double most;                           // |x|^2 of rows whose scores are in the range of single precision
  double lost;                           // what is lost below that range, of a score for each entry
  double twice;                          // two products of single precision
  std::uint64_t rough = 0, unclear = 0;  // rows with scores in single precision, and those that they did not settle

  explicit Pass(const Centres& all)
      : centres(all),
        groups(all.groups()),
        width(Centres::width_of(all.clusters())),
        stride(stride_of(all)),
        squares(groups * width, kInfinity),
        norms(groups * width),
        products(groups * width),
        scores(groups * width, kInfinity),
        least(stride),
        lowest(stride),
        fresh(stride),
        drifts(stride) {
    for (std::uint32_t k = 0; k < all.clusters(); ++k)
      if (all.count(k) > 0) squares[k] = norms[k] = all.norm(k);
    const double greatest = std::ranges::max(norms), unit = 1 / all.scale() / all.scale();
    apart = 3 * static_cast<double>(all.columns() + 8) * kEpsilon * std::sqrt(greatest);
    most = greatest <= 0x1p120 * unit ? 0x1p120 * unit : -1;
    twice = 2 * unit;
    lost = std::max(DBL_MIN, 0x1p-144 * unit + 0x1p-146 * greatest);
    for (std::size_t g = 0; g < groups; ++g) drifts[g] = all.drift(g);
    drifts.back() = -kInfinity;
  }
  static std::size_t stride_of(const Centres& all) { return (all.groups() + 4) / 4 * 4; }
};

struct Row {
  io::SparseRow all, known;
  double square;       // |x|^2
  double share, lost;  // the error of a score is less than `share` of |x|^2 + |c|^2, and `lost`
  bool rough;          // whether scores are computed in single precision
};

// The distance that lower bounds must be above, if that to the row's own centre is not above `upper`.
[[gnu::always_inline]] inline double root_of(const Pass& pass, std::size_t entries, double upper) {
  return upper * (1 + 8 * (2e-12 + static_cast<double>(entries + 8) * kEpsilon)) + pass.apart;
}
[[gnu::always_inline]] inline const Four& four(const double* from) {
  return *reinterpret_cast<const Four*>(from);
}
[[gnu::always_inline]] inline double least_of(const Four& x) {
  const double a = x[0] < x[1] ? x[0] : x[1], b = x[2] < x[3] ? x[2] : x[3];
  return a < b ? a : b;
}
constexpr double kInfinities[4] = {kInfinity, kInfinity, kInfinity, kInfinity};

// Whether the lower bounds of all groups are.
[[gnu::always_inline]] inline bool all_above(const Pass& pass, const float* bounds, double root) {
  const double* const drifts = pass.drifts.data();
  Four least = four(kInfinities);
  for (std::size_t g = 0; g < pass.stride; g += 4) {
    const Four apart =
        __builtin_convertvector(*reinterpret_cast<const FourFloats*>(bounds + g), Four) - four(drifts + g);
    least = apart < least ? apart : least;
  }
  return least_of(least) > root;
}

// The lowest score of the group's clusters but one, less its error of the norm.
[[gnu::always_inline]] inline double lowest_but(const Pass& pass, const Row& row, std::size_t g, std::size_t but) {
  const std::size_t first = g * pass.width;
  if (but - first >= pass.width) return pass.lowest[g];
  using Lanes [[gnu::vector_size(32)]] = std::int64_t;
  const Four none = four(kInfinities);
  Four lowest = none;
  Lanes after = Lanes{0, 1, 2, 3} - static_cast<std::int64_t>(but - first);  // how far each cluster is after that one
  for (std::size_t k = first; k < first + pass.width; k += 4, after += 4) {
    const Four low = four(&pass.scores[k]) - row.share * four(&pass.norms[k]), others = after == 0 ? none : low;
    lowest = others < lowest ? others : lowest;
  }
  return least_of(lowest);
}
// From the scores: a distance that is not more than that to any centre of the group but one, plus the drift until now.
[[gnu::always_inline]] inline float lower_of(const Pass& pass, const Row& row, std::size_t g, std::size_t but) {
  const double square = std::max(0.0, lowest_but(pass, row, g, but) + row.square * (1 - row.share) - row.lost);
  const double down = (std::sqrt(square) + pass.drifts[g]) * (1 - 0x1p-22);
  return down < FLT_MIN ? 0 : static_cast<float>(std::min<double>(down, FLT_MAX));
}
// The same of all groups, four at once: replaces bounds that are less.  For groups without scores it is zero.
[[gnu::always_inline]] inline void raise_lower(Pass& pass, const Row& row, std::size_t but, float* bounds) {
  const std::size_t home = but / pass.width;
  const double all = std::exchange(pass.lowest[home], lowest_but(pass, row, home, but));
  const double rest = row.square * (1 - row.share) - row.lost;
  constexpr Four zero = {}, least = {FLT_MIN, FLT_MIN, FLT_MIN, FLT_MIN}, most = {FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX};
  for (std::size_t g = 0; g < pass.stride; g += 4) {
    Four root = four(&pass.lowest[g]) + rest;
    root = root > zero ? root : zero;
    const __m128d low = _mm_sqrt_pd(__m128d{root[0], root[1]}), high = _mm_sqrt_pd(__m128d{root[2], root[3]});
    Four down = (Four{low[0], low[1], high[0], high[1]} + four(&pass.drifts[g])) * (1 - 0x1p-22);
    down = down < most ? down : most;
    down = down < least ? zero : down;
    auto& bound = *reinterpret_cast<FourFloats*>(bounds + g);
    const FourFloats floats = __builtin_convertvector(down, FourFloats);
    bound = floats > bound ? floats : bound;
  }
  pass.lowest[home] = all;
}
// A distance that is not less than that to the centre.
[[gnu::always_inline]] inline double upper_of(const Pass& pass, const Row& row, std::size_t k) {
  const double square = pass.scores[k] + row.share * pass.norms[k] + row.square * (1 + row.share) + row.lost;
  return std::sqrt(std::max(0.0, square)) * (1 + 4 * kEpsilon);
}
// The same less the drift until now.
[[gnu::always_inline]] inline float without_drift(double upper, double drift) {
  const double up = std::max<double>(-FLT_MAX, (upper - drift) + 0x1p-22 * (upper + drift) + FLT_MIN);
  return up <= FLT_MAX ? static_cast<float>(up) : static_cast<float>(kInfinity);
}

// What is known of the scores of the groups [g, end).
[[gnu::always_inline]] inline void take_scores(Pass& pass, const Row& row, std::size_t g, std::size_t end) {
  for (; g < end; ++g) {
    Four least = four(kInfinities), lowest = least;
    for (std::size_t k = g * pass.width; k < (g + 1) * pass.width; k += 4) {
      const Four score = four(&pass.scores[k]), low = score - row.share * four(&pass.norms[k]);
      least = score < least ? score : least;
      lowest = low < lowest ? low : lowest;
    }
    pass.least[g] = least_of(least);
    pass.lowest[g] = least_of(lowest);
  }
}
[[gnu::always_inline]] inline void score_groups(Pass& pass, const Row& row, std::size_t g, std::size_t end) {
  if (row.rough) {
    pass.centres.rough_products(row.known, g, end, pass.products);
    for (std::size_t k = g * pass.width; k < end * pass.width; k += 4)
      *reinterpret_cast<Four*>(&pass.scores[k]) =
          four(&pass.squares[k]) -
          pass.twice * __builtin_convertvector(*reinterpret_cast<const FourFloats*>(&pass.products[k]), Four);
  } else {
    pass.centres.score(row.known, pass.centres.begin_of(g), pass.centres.end_of(end - 1), pass.scores);
  }
  take_scores(pass, row, g, end);
}

// Whether scores settle which centre is the nearest.  `upper` is not below the row's distance to its own centre;
// infinite if it has none.
[[gnu::always_inline]] inline bool settles(Pass& pass, const Row& row, RowState& state, float* bounds, double upper) {
  const std::size_t own = state.nearest, home = own / pass.width, entries = row.all.columns.size();
  const bool has_own = upper < kInfinity;
  std::ranges::fill(pass.least, kInfinity);
  std::ranges::fill(pass.lowest, -kInfinity);
  std::uint32_t few = 0;               // a bit for each group that has scores, if these are not many
  if (!has_own || pass.groups <= 4) {  // as fast as some of them
    score_groups(pass, row, 0, pass.groups);
    if (has_own) upper = std::min(upper, upper_of(pass, row, own));
    if (pass.groups < 4) few = (1U << pass.groups) - 1;
  } else {
    score_groups(pass, row, home, home + 1);
    upper = std::min(upper, upper_of(pass, row, own));
    const double root = root_of(pass, entries, upper);
    std::uint32_t failed = 0;  // a bit for each group
    for (std::size_t g = 0; g < pass.groups; ++g) failed |= (bounds[g] - pass.drifts[g] > root ? 0U : 1U) << g;
    failed &= ~(1U << home);
    if (std::popcount(failed) < 4) few = failed | 1U << home;
    if (2 * static_cast<std::size_t>(std::popcount(failed)) > pass.groups) {
      score_groups(pass, row, 0, pass.groups);
    } else {
      while (failed != 0) {
        const auto g = static_cast<std::size_t>(std::countr_zero(failed));
        const auto end = g + static_cast<std::size_t>(std::countr_one(failed >> g));
        score_groups(pass, row, g, end);
        failed &= ~0U << end;
      }
    }
  }
  if (has_own) {
    if (few == 0) {
      raise_lower(pass, row, own, bounds);
    } else {
      for (std::uint32_t left = few; left != 0; left &= left - 1) {
        const auto g = static_cast<std::size_t>(std::countr_zero(left));
        bounds[g] = std::max(bounds[g], lower_of(pass, row, g, own));
      }
    }
    bounds[pass.stride - 1] = without_drift(upper, pass.centres.own_drift(state.nearest));
    if (all_above(pass, bounds, root_of(pass, entries, upper))) return true;
  }
  const auto first = static_cast<std::size_t>(std::ranges::min_element(pass.least) - pass.least.begin());
  std::size_t best = first * pass.width;
  while (pass.scores[best] != pass.least[first]) ++best;
  if (has_own && best == own) return false;
  std::copy_n(bounds, pass.stride, pass.fresh.begin());
  if (has_own) {
    for (const std::size_t g : {home, first}) pass.fresh[g] = lower_of(pass, row, g, best);
  } else {
    std::fill_n(pass.fresh.begin(), pass.groups, 0.0F);
    raise_lower(pass, row, best, pass.fresh.data());
  }
  upper = upper_of(pass, row, best);
  if (!all_above(pass, pass.fresh.data(), root_of(pass, entries, upper))) return false;
  state.nearest = static_cast<std::uint32_t>(best);
  state.distance = kUnknown;
  pass.fresh.back() = without_drift(upper, pass.centres.own_drift(state.nearest));
  std::ranges::copy(pass.fresh, bounds);
  return true;
}

// The row's distance to its own centre, and the upper bound.
[[gnu::always_inline]] inline void know_distance(const Pass& pass, const io::SparseRow& row, RowState& state,
                                                 float& upper) {
  if (state.distance == kUnknown) state.distance = pass.centres.distance(row, state.nearest);
  upper = without_drift(root_of(pass, row.columns.size(), std::sqrt(state.distance)),
                        pass.centres.own_drift(state.nearest));
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
    double upper = kInfinity;
    const bool has_own = known && centres.count(state.nearest) > 0;
    if (has_own) {
      if (!next || centres.changed(state.nearest)) state.distance = kUnknown;
      upper = last + centres.own_drift(state.nearest);
      if (all_above(pass, bounds, root_of(pass, entries, upper))) {
        state.target = state.nearest;
        continue;
      }
    }
    Row row{rows[r], centres.known_of(rows[r]), squares[r], 0, 0, true};
    const bool helps = pass.rough < 64 || pass.unclear < pass.rough / 8;
    bool settled = false;
    if (helps && row.square <= pass.most && entries < kMostEntries) {
      row.share = 1.2 * static_cast<double>(entries + 8) * 0x1p-24;
      row.lost = static_cast<double>(entries) * (pass.lost + 0x1p-146 * row.square);
      settled = settles(pass, row, state, bounds, upper);
      ++pass.rough;
      pass.unclear += settled ? 0 : 1;
    }
    if (!settled) {
      if (has_own) {
        know_distance(pass, row.all, state, last);
        upper = last + centres.own_drift(state.nearest);
        settled = all_above(pass, bounds, root_of(pass, entries, upper));
      }
      row.rough = false;
      row.share = 4 * Centres::error_of(row.known);
      row.lost = 0;
      settled = settled || settles(pass, row, state, bounds, upper);
    }
    if (!settled) {
      std::tie(state.nearest, state.distance) = centres.nearest(row.all, row.square, pass.scores);
      take_scores(pass, row, 0, pass.groups);
      for (std::size_t g = 0; g < pass.groups; ++g) bounds[g] = lower_of(pass, row, g, state.nearest);
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
    Pass pass(centres);
    const bool known = bounds_.size() == rows.rows * pass.stride && version_ >= centres.since();
    if (!known) bounds_.assign(rows.rows * pass.stride, FLT_MAX);
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
