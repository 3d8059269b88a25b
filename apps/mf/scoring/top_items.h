// apps/mf/scoring/top_items.h -- the best items for many users.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "apps/mf/kernels.h"

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

// Consecutive rows of factors, `width` of each, a multiple of 16, and their biases.
struct ItemRows {
  const float* factors;
  std::size_t width;
  std::vector<float> biases;
};

inline constexpr std::size_t kBlockUsers = 128;  // users scored at once
inline constexpr std::size_t kBlockItems = 256;  // items scored at once: their factors stay in the cache

// Scores the items [first, end) for users whose rows of factors are one after the other.  Calls use(u, item, scores)
// for runs of consecutive items, which together are all but those of excluded(u), ascending.  `products` is room to
// work in.
template <typename Excluded, typename Use>
void score_items(const ItemRows& items, std::size_t first, std::size_t end, std::span<const float> users,
                 std::vector<float>& products, Excluded excluded, Use use) {
  const std::size_t count = end - first, user_count = users.size() / items.width;
  const std::size_t stride = (count + kScoreLanes - 1) / kScoreLanes * kScoreLanes;
  products.resize(user_count * stride);
  kernels().score_rows(
      {users.data(), user_count, items.factors + first * items.width, count, items.width, products.data(), stride});
  for (std::size_t u = 0; u < user_count; ++u) {
    float* const scores = products.data() + u * stride;
    for (std::size_t i = 0; i < count; ++i) scores[i] += items.biases[first + i];
    std::size_t begin = first;
    const auto use_until = [&](std::size_t until) {
      if (until > begin) use(u, begin, std::span<const float>(scores + (begin - first), until - begin));
      begin = until + 1;
    };
    for (const std::uint32_t item : excluded(u)) use_until(item);
    use_until(end);
  }
}

// A user to recommend to.
struct Asker {
  std::span<const float> factors;           // of the width of the items' rows
  std::span<const std::uint32_t> excluded;  // items, ascending, each once
};

// The `most` items with the highest scores for each, the highest first; of equal ones the first.  Scores are the
// products of the factors, and the items' biases.  Calls also(asker, scores) for runs of items, which together are all
// that are not excluded for it.  Uses the threads given.  The result does not depend on their number, nor on the
// processor.
std::vector<std::vector<Recommendation>> top_items(
    const ItemRows& items, std::span<const Asker> askers, std::size_t most, unsigned threads,
    const std::function<void(std::size_t asker, std::span<const float> scores)>& also = {});

}  // namespace rota::mf
