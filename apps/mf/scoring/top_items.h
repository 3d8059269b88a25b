// apps/mf/scoring/top_items.h -- the best items for many users.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/mf/commands/trained_model.h"

namespace rota::mf {

struct Recommendation {
  std::uint32_t item;
  float score;
};

// Whom to recommend to.
struct Asker {
  std::span<const float> factors;           // of the width of the model's rows
  double bias = 0;                          // what is added to all scores
  std::span<const std::uint32_t> excluded;  // items, ascending
};

// The `most` items of the highest predicted ratings for each, the highest first; of equal ones the first.  Uses the
// threads given.  Equal for all of their numbers, and on every processor.
std::vector<std::vector<Recommendation>> top_items(const TrainedModel& model, std::span<const Asker> askers,
                                                   std::size_t most, unsigned threads);

}  // namespace rota::mf
