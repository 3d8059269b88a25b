// apps/kmeans/bounds.h -- the nearest centres of a shard's rows, without the distances that cannot change them.
//
// For each row and each group of clusters there is a lower bound of the distance to every centre of the group but the
// row's own: that of the last scores, less what the centres have moved since (Hamerly, "Making k-means even faster",
// SDM 2010; groups as in Ding, Zhao, Shen, Musuvathi and Mytkowicz, "Yinyang k-means", ICML 2015).  If all are above
// the distance to the row's own centre, the row stays.  Else the scores of the groups whose bounds failed make better
// bounds, and only if these fail as well the row is compared with all centres.
//
// The result is that of Centres::nearest(), bit for bit.  Let a be the row's cluster, D(k) the exact squared distance
// to the centre of k in the numbers that Centres::value() has, and d(k) that which Centres::distance() computes.
// nearest() returns the candidate of the least d(k).
//   - a is a candidate if no D(k) is less than D(a): the scores s of a and of the cluster b of the least score are both
//     within half of the limit of nearest(), so that s(a) <= D(a) - |x|^2 + error(a) <= s(b) + error(b) + error(a).
//   - No other k has d(k) <= d(a) if D(k) > D(a) by more than the errors of both distances.  With the columns n of the
//     data and the entries m of the row, |d(k) - D(k)| <= r d(k) + q |c_k|^2, with r = 2e-12 + (m + 8) 2^-52 and
//     q = ((n + 8) 2^-52)^2 for the sums in twice the precision; so it is enough that
//     D(k) > (1 + 4 r) d(a) + 4 q max |c|^2.
// So it is enough that each bound, squared, is above this, with 8 in place of 4 for the rounding of the bound itself:
// 8 r is at least 1e-11, and a bound is a difference of numbers that are rounded towards the safe side.
#pragma once
#include <algorithm>
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
  std::size_t groups, stride, width;  // of clusters; bounds of a row, a multiple of 4; clusters of a group
  // Of each cluster, up to whole groups with ones that no row is near: |c|^2 or 0 without members, and the row's score.
  std::vector<double> norms, scores;
  std::vector<double> drifts;         // of each bound
  std::vector<double> least, lowest;  // of each group's scores, and of what they may be: less their errors
  std::vector<std::pair<std::size_t, std::size_t>> scored;  // groups [first, second) of the row that have scores
  double apart;                                             // 8 q max |c|^2

  explicit Pass(const Centres& all)
      : centres(all),
        groups(all.groups()),
        stride(stride_of(all)),
        width(Centres::width_of(all.clusters())),
        norms(groups * width),
        scores(groups * width, kInfinity),
        drifts(stride),
        least(groups),
        lowest(groups) {
    for (std::uint32_t k = 0; k < all.clusters(); ++k)
      if (all.count(k) > 0) norms[k] = all.norm(k);
    const double share = static_cast<double>(all.columns() + 8) * kEpsilon;
    apart = 8 * share * share * std::ranges::max(norms);
    for (std::size_t g = 0; g < groups; ++g) drifts[g] = all.drift(g);
  }
  static std::size_t stride_of(const Centres& all) { return (all.groups() + 3) / 4 * 4; }
};

struct Row {
  io::SparseRow all, known;
  double square, error;  // |x|^2; that of scores, see Centres::error_of()
};

// The scores of the groups [g, end).
[[gnu::always_inline]] inline void score_groups(Pass& pass, const Row& row, std::size_t g, std::size_t end) {
  pass.centres.score(row.known, pass.centres.begin_of(g), pass.centres.end_of(end - 1), pass.scores);
  for (; g < end; ++g) {
    double least[4] = {kInfinity, kInfinity, kInfinity, kInfinity},
           lowest[4] = {kInfinity, kInfinity, kInfinity, kInfinity};
    const double *const score = &pass.scores[g * pass.width], *const norm = &pass.norms[g * pass.width];
    for (std::size_t k = 0; k < pass.width; k += 4)
      for (std::size_t i = 0; i < 4; ++i) {
        const double low = score[k + i] - 4 * row.error * norm[k + i];
        least[i] = score[k + i] < least[i] ? score[k + i] : least[i];
        lowest[i] = low < lowest[i] ? low : lowest[i];
      }
    pass.least[g] = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
    pass.lowest[g] = std::min(std::min(lowest[0], lowest[1]), std::min(lowest[2], lowest[3]));
  }
}

// A distance that is not more than that to any centre of the group but `own`, plus the drift until now; rounded down.
[[gnu::always_inline]] inline float bound_of(const Pass& pass, const Row& row, std::uint32_t own, std::size_t g) {
  double lowest = pass.lowest[g];
  if (own / pass.width == g) {
    lowest = kInfinity;
    for (std::size_t k = g * pass.width; k < (g + 1) * pass.width; ++k)
      if (k != own) lowest = std::min(lowest, pass.scores[k] - 4 * row.error * pass.norms[k]);
  }
  const double square = std::max(0.0, lowest + row.square * (1 - 2 * row.error));
  const double down = (std::sqrt(square) + pass.drifts[g]) * (1 - 0x1p-22);
  return down < FLT_MIN ? 0 : static_cast<float>(std::min<double>(down, FLT_MAX));
}

// Whether no bound is below the root of the limit.
[[gnu::always_inline]] inline bool all_above(const Pass& pass, const float* bounds, double limit) {
  double least[4] = {kInfinity, kInfinity, kInfinity, kInfinity};
  for (std::size_t g = 0; g < pass.stride; g += 4)
    for (std::size_t i = 0; i < 4; ++i) {
      const double apart = bounds[g + i] - pass.drifts[g + i];
      least[i] = apart < least[i] ? apart : least[i];
    }
  const double apart = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
  return apart > 0 && apart * apart > limit;
}

// As Centres::nearest(), when all groups are scored.
[[gnu::always_inline]] inline std::pair<std::uint32_t, double> nearest_of_scores(const Pass& pass, const Row& row) {
  const auto first = static_cast<std::size_t>(std::ranges::min_element(pass.least) - pass.least.begin());
  std::size_t best = first * pass.width;
  while (pass.scores[best] != pass.least[first]) ++best;
  const double limit = pass.scores[best] + 2 * row.error * (row.square + pass.norms[best]);
  std::pair found(pass.centres.distance(row.all, static_cast<std::uint32_t>(best)), static_cast<std::uint32_t>(best));
  for (std::size_t g = 0; g < pass.groups; ++g) {
    if (pass.lowest[g] > limit) continue;
    for (auto k = static_cast<std::uint32_t>(g * pass.width); k < (g + 1) * pass.width; ++k)
      if (k != best && pass.scores[k] - 2 * row.error * pass.norms[k] <= limit)
        found = std::min(found, {pass.centres.distance(row.all, k), k});
  }
  return {found.second, found.first};
}

[[gnu::always_inline]] inline bool above(const Pass& pass, const float* bounds, std::size_t g, double limit) {
  const double apart = bounds[g] - pass.drifts[g];
  return apart > 0 && apart * apart > limit;
}

// Whether the row's own centre is still the nearest, whose distance is then computed.
[[gnu::always_inline]] inline bool stays(Pass& pass, const Row& row, RowState& state, float* bounds) {
  const Centres& centres = pass.centres;
  if (centres.count(state.nearest) == 0) return false;
  if (centres.changed(state.nearest)) state.distance = centres.distance(row.all, state.nearest);
  const double error = 2e-12 + static_cast<double>(row.all.columns.size() + 8) * kEpsilon;
  const double limit = (1 + 8 * error) * state.distance + pass.apart;
  if (all_above(pass, bounds, limit)) return true;
  bool stay = true;
  for (std::size_t g = 0, end = 0; g < pass.groups && stay; g = end) {
    end = g + 1;
    if (above(pass, bounds, g, limit)) continue;
    while (end < pass.groups && !above(pass, bounds, end, limit)) ++end;
    score_groups(pass, row, g, end);
    pass.scored.emplace_back(g, end);
    for (; g < end; ++g) {
      bounds[g] = bound_of(pass, row, state.nearest, g);
      stay = stay && above(pass, bounds, g, limit);
    }
  }
  return stay;
}

// `known`: whether there are bounds.
ROTA_WIDEST_REGISTERS static void assign_rows(Pass& pass, const io::SparseMatrix& rows, const double* squares,
                                              RowState* states, float* bounds, bool known) {
  for (std::uint64_t r = 0; r < rows.rows; ++r, bounds += pass.stride) {
    Row row{rows[r], pass.centres.known_of(rows[r]), squares[r], 0};
    row.error = Centres::error_of(row.known);
    RowState& state = states[r];
    pass.scored.clear();
    if (!known || !stays(pass, row, state, bounds)) {
      std::size_t from = 0;  // the groups that are not scored yet lie between those that are
      pass.scored.emplace_back(pass.groups, pass.groups);
      for (const auto& [g, end] : pass.scored) {
        if (from < g) score_groups(pass, row, from, g);
        from = end;
      }
      std::tie(state.nearest, state.distance) = nearest_of_scores(pass, row);
      for (std::size_t g = 0; g < pass.groups; ++g) bounds[g] = bound_of(pass, row, state.nearest, g);
    }
    state.target = state.nearest;
  }
}

class Bounds {
 public:
  // The nearest centre of each row, and the squared distance.  `squares`: |x|^2 of the rows.
  // Bounds continue from one version of the centres to the next.
  // REQUIRES: `nearest` and `distance` are those of the last call, or forget() was called.
  void assign(const Centres& centres, const io::SparseMatrix& rows, std::span<const double> squares,
              std::span<RowState> states) {
    if (!centres.followed()) {
      std::vector<double> scores(centres.clusters());
      for (std::uint64_t r = 0; r < rows.rows; ++r) {
        std::tie(states[r].nearest, states[r].distance) = centres.nearest(rows[r], squares[r], scores);
        states[r].target = states[r].nearest;
      }
      return forget();
    }
    Pass pass(centres);
    const bool known =
        bounds_.size() == rows.rows * pass.stride && version_ + 1 == centres.version() && version_ >= centres.since();
    if (!known) bounds_.assign(rows.rows * pass.stride, FLT_MAX);
    assign_rows(pass, rows, squares.data(), states.data(), bounds_.data(), known);
    version_ = centres.version();
  }
  // Of rows whose states are others now.
  void forget() { bounds_.clear(); }

 private:
  std::vector<float> bounds_;  // of each row, Pass::stride numbers
  std::uint64_t version_ = 0;  // of the centres
};

}  // namespace rota::kmeans
