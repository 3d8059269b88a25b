#include "apps/mf/sgd/pair_pool.h"

#include <algorithm>
#include <iterator>

namespace rota::mf {

void PairPool::begin_epoch() {
  met_.clear();
  factors_.clear();
  tails_.clear();
  penalties_.clear();
}

void PairPool::take_in(const Cell& cell, const RatedRows& rated) {
  if (rows() + std::size_t{rated.rows()} > kMostRows) begin_epoch();
  met_.push_back({{cell.ratings, cell.count}, &rated, rows()});
  const std::size_t width = std::size_t{cell.chunks} * kLanes, tail = cell.biases ? 4 : 2;
  factors_.insert(factors_.end(), cell.visiting.factors, cell.visiting.factors + rated.rows() * width);
  tails_.insert(tails_.end(), cell.visiting.tails, cell.visiting.tails + rated.rows() * tail);
  if (cell.visiting.penalties)
    penalties_.insert(penalties_.end(), cell.visiting.penalties, cell.visiting.penalties + rated.rows());
}

// None for residents that have rated all rows of the slice that is drawn.
std::vector<PairStep> PairPool::own_pairs(Random& random) const {
  const Met& own = met_.back();
  std::vector<PairStep> steps;
  steps.reserve(own.ratings.size());
  for (const CellRating& one : own.ratings) {
    const auto drawn = static_cast<std::uint32_t>(random.below(rows()));
    const auto after = std::upper_bound(met_.begin(), met_.end(), drawn,
                                        [](std::uint32_t row, const Met& met) { return row < met.first; });
    const Met& from = *std::prev(after);
    if (const auto other = from.rated->draw_other(one.resident, random))
      steps.push_back({one.resident, own.first + one.visiting, from.first + *other});
  }
  return steps;
}

std::vector<PairStep> PairPool::pairs_of_others(Random& random) const {
  const Met& own = met_.back();
  std::vector<PairStep> steps;
  for (const Met& met : std::span(met_).first(met_.size() - 1))
    for (std::size_t i = met.ratings.size() * own.rated->rows() / rows(); i > 0; --i) {
      const CellRating& one = met.ratings[random.below(met.ratings.size())];
      if (const auto other = own.rated->draw_other(one.resident, random))
        steps.push_back({one.resident, met.first + one.visiting, own.first + *other});
    }
  return steps;
}

double PairPool::visit(const Cell& cell, const RatedRows& rated, RunPairs run, Random& random) {
  if (rated.rows() == 0) return 0;
  take_in(cell, rated);
  Cell pool = cell;
  pool.visiting.factors = factors_.data();
  pool.visiting.tails = tails_.data();
  if (cell.visiting.penalties) pool.visiting.penalties = penalties_.data();
  const std::vector<PairStep> own = own_pairs(random), others = pairs_of_others(random);
  const double losses = run(pool, own.data(), own.size());
  run(pool, others.data(), others.size());
  const std::size_t width = std::size_t{cell.chunks} * kLanes, tail = cell.biases ? 4 : 2, first = met_.back().first;
  std::copy_n(factors_.begin() + static_cast<std::ptrdiff_t>(first * width), rated.rows() * width,
              cell.visiting.factors);
  std::copy_n(tails_.begin() + static_cast<std::ptrdiff_t>(first * tail), rated.rows() * tail, cell.visiting.tails);
  return losses;
}

}  // namespace rota::mf
