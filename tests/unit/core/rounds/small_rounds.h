// tests/unit/core/rounds/small_rounds.h -- rounds of one kind each.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "rota/round.h"

namespace rota::tests {

inline constexpr TableId kApart = 2;  // of a test's tables, one that spans partitions

inline Round owning(std::vector<std::optional<SliceId>> slices, bool ends_epoch = false) {
  Round round;
  round.owned = std::move(slices);
  round.ends_epoch = ends_epoch;
  return round;
}

inline Round sharing(std::vector<Key> keys, TableId table = kApart) {
  Round round;
  round.table = table;
  round.shared = std::move(keys);
  return round;
}

}  // namespace rota::tests
