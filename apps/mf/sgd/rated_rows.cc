#include "apps/mf/sgd/rated_rows.h"

#include <algorithm>
#include <utility>

namespace rota::mf {

RatedRows::RatedRows(std::span<const CellRating> cell, std::uint32_t rows) : rows_(rows) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  pairs.reserve(cell.size());
  for (const CellRating& one : cell) pairs.emplace_back(one.resident, one.visiting);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  for (const auto& [resident, visiting] : pairs) {
    if (residents_.empty() || residents_.back() != resident) {
      residents_.push_back(resident);
      ends_.push_back(rated_.size());
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
  std::size_t low = 0, high = rated.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (rated[middle] - middle <= drawn) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return drawn + static_cast<std::uint32_t>(low);
}

}  // namespace rota::mf
