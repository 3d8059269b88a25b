#include "apps/mf/sgd/pair_pool.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

namespace rota::mf {

RatedRows::RatedRows(std::span<const CellRating> cell, std::uint32_t rows) : rows_(rows) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const CellRating& one : cell) pairs.emplace_back(one.resident, one.visiting);
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  for (const auto& [resident, visiting] : pairs) {
    if (residents_.empty() || residents_.back() != resident) {
      residents_.push_back(resident);
      ends_.emplace_back();
    }
    rated_.push_back(visiting);
    ends_.back() = rated_.size();
  }
}

std::span<const std::uint32_t> RatedRows::of(std::uint32_t resident) const {
  const auto found = std::lower_bound(residents_.begin(), residents_.end(), resident);
  if (found == residents_.end() || *found != resident) return {};
  const auto at = static_cast<std::size_t>(found - residents_.begin());
  const std::size_t begin = at == 0 ? 0 : ends_[at - 1];
  return std::span(rated_).subspan(begin, ends_[at] - begin);
}

std::optional<std::uint32_t> RatedRows::draw_other(std::uint32_t resident, Random& random) const {
  const std::span<const std::uint32_t> rated = of(resident);
  if (rated.size() >= rows_) return std::nullopt;
  const auto drawn = static_cast<std::uint32_t>(random.below(rows_ - rated.size()));
  // Of the rows before rated[i], rated[i] - i are others: finds the number of rated ones before the drawn row.
  const auto before = std::ranges::partition_point(std::views::iota(std::size_t{0}, rated.size()),
                                                   [&](std::size_t i) { return rated[i] - i <= drawn; });
  return drawn + static_cast<std::uint32_t>(*before);
}

void PairPool::begin_epoch() {
  met_.clear();
  factors_.clear();
  tails_.clear();
  penalties_.clear();
}

// None for residents that have rated all rows of the slice that is drawn.
std::vector<PairStep> PairPool::own_pairs(Random& random) const {
  const Met& own = met_.back();
  std::vector<PairStep> steps;
  steps.reserve(own.ratings.size());
  for (const CellRating& one : own.ratings) {
    const auto drawn = static_cast<std::uint32_t>(random.below(rows()));
    const Met& from = *std::prev(std::ranges::upper_bound(met_, drawn, {}, &Met::first));
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

double PairPool::visit(const Cell& cell, const RatedRows& rated, Random& random, RunPairs run) {
  if (rated.rows() == 0) return 0;
  if (rows() + std::size_t{rated.rows()} > kMostRows) begin_epoch();
  const std::size_t width = std::size_t{cell.chunks} * kLanes, tail = cell.biases ? 4 : 2;
  const std::size_t factors = rated.rows() * width, tails = rated.rows() * tail;
  met_.push_back({{cell.ratings, cell.count}, &rated, rows()});
  factors_.insert(factors_.end(), cell.visiting.factors, cell.visiting.factors + factors);
  tails_.insert(tails_.end(), cell.visiting.tails, cell.visiting.tails + tails);
  if (cell.visiting.penalties)
    penalties_.insert(penalties_.end(), cell.visiting.penalties, cell.visiting.penalties + rated.rows());
  Cell pool = cell;
  pool.visiting.factors = factors_.data();
  pool.visiting.tails = tails_.data();
  if (cell.visiting.penalties) pool.visiting.penalties = penalties_.data();
  const std::vector<PairStep> own = own_pairs(random), others = pairs_of_others(random);
  const double losses = run(pool, own);
  run(pool, others);
  std::copy(factors_.end() - static_cast<std::ptrdiff_t>(factors), factors_.end(), cell.visiting.factors);
  std::copy(tails_.end() - static_cast<std::ptrdiff_t>(tails), tails_.end(), cell.visiting.tails);
  return losses;
}

}  // namespace rota::mf
