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

// The order of a ranking: of equal scores the item of the lower number first.
inline bool better(const Recommendation& a, const Recommendation& b) {
  return a.score != b.score ? a.score > b.score : a.item < b.item;
}

// The best that were offered, as a heap whose first is the worst of them.
class Best {
 public:
  explicit Best(std::size_t most) : most_(most) {}
  void offer(Recommendation one);
  // Items `item`, `item` + 1, ..., behind all that were offered before.
  void offer(std::uint32_t item, std::span<const float> scores);
  // The best first; empties it.
  std::vector<Recommendation> take();

 private:
  std::size_t most_;
  std::vector<Recommendation> heap_;
};

// The `most` items of the highest predicted ratings for each, the highest first; of equal ones the first.  Uses the
// threads given.  Equal for all of their numbers, and on every processor.
std::vector<std::vector<Recommendation>> top_items(const TrainedModel& model, std::span<const Asker> askers,
                                                   std::size_t most, unsigned threads);

}  // namespace rota::mf
