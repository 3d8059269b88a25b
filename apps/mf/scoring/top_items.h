// apps/mf/scoring/top_items.h -- the best items for many users.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/mf/commands/trained_model.h"
#include "apps/mf/scoring/score_blocks.h"

namespace rota::mf {

struct Recommendation {
  std::uint32_t item;
  float score;
};

// The order of a ranking: for equal scores the item with the lower number first.
inline bool better(const Recommendation& a, const Recommendation& b) {
  return a.score != b.score ? a.score > b.score : a.item < b.item;
}

// The best items offered so far, as a heap whose first element is the worst of them.
class Best {
 public:
  explicit Best(std::size_t most) : most_(most) {}
  void offer(Recommendation one);
  // Items `item`, `item` + 1, ..., all after those that were offered before.
  void offer(std::uint32_t item, std::span<const float> scores);
  // Returns the best first, and clears them.
  std::vector<Recommendation> take();

 private:
  std::size_t most_;
  std::vector<Recommendation> heap_;
};

// The `most` items with the highest predicted ratings for each, the highest first; of equal ones the first.  Uses the
// threads given.  The result does not depend on their number, nor on the processor.
std::vector<std::vector<Recommendation>> top_items(const TrainedModel& model, std::span<const Asker> askers,
                                                   std::size_t most, unsigned threads);

}  // namespace rota::mf
