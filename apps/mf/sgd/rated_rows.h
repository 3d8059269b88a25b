// apps/mf/sgd/rated_rows.h -- the rows of a slice that the residents of a shard have rated, and the others.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/mf/kernels.h"
#include "rota/random.h"

namespace rota::mf {

class RatedRows {
 public:
  // Of a cell, whose slice has this number of rows.
  RatedRows(std::span<const CellRating> cell, std::uint32_t rows);

  std::uint32_t rows() const { return rows_; }
  // Ascending, each once.
  std::span<const std::uint32_t> of(std::uint32_t resident) const;
  // One of the others, with equal probability; none if there are no others.
  std::optional<std::uint32_t> draw_other(std::uint32_t resident, Random& random) const;

 private:
  std::uint32_t rows_;
  std::vector<std::uint32_t> residents_;  // those that have ratings, ascending
  std::vector<std::size_t> ends_;         // of their rows in rated_
  std::vector<std::uint32_t> rated_;
};

}  // namespace rota::mf
