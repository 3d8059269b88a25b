// apps/sgd/exact/notes.h -- sums that shards send in addition to their parts.
#pragma once
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "rota/fields.h"

namespace rota::sgd {

// Number by number, in the order of the shards.
inline std::vector<double> sum_of_notes(std::span<const Bytes> notes, std::size_t count) {
  std::vector<double> sums(count);
  for (const Bytes& note : notes) {
    const auto numbers = read_fields<std::vector<double>>(note);
    if (!numbers.empty() && numbers.size() != count) throw std::runtime_error("a note of another round");
    for (std::size_t i = 0; i < numbers.size(); ++i) sums[i] += numbers[i];
  }
  return sums;
}

}  // namespace rota::sgd
