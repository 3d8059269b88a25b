#include "apps/mf/scoring/top_items.h"

#include <algorithm>
#include <utility>

namespace rota::mf {

void Best::offer(Recommendation one) {
  if (heap_.size() < most_) {
    heap_.push_back(one);
    std::push_heap(heap_.begin(), heap_.end(), better);
  } else if (most_ > 0 && better(one, heap_.front())) {
    std::pop_heap(heap_.begin(), heap_.end(), better);
    heap_.back() = one;
    std::push_heap(heap_.begin(), heap_.end(), better);
  }
}

void Best::offer(std::uint32_t item, std::span<const float> scores) {
  constexpr std::size_t kTogether = 16;  // most are not better than the worst, which is tested for several at once
  while (!scores.empty()) {
    const auto some = scores.first(std::min(kTogether, scores.size()));
    bool offers = heap_.size() < most_;
    if (!offers && most_ > 0)
      for (const float score : some) offers |= score > heap_.front().score;
    for (std::size_t i = 0; offers && i < some.size(); ++i) offer({item + static_cast<std::uint32_t>(i), some[i]});
    item += static_cast<std::uint32_t>(some.size());
    scores = scores.subspan(some.size());
  }
}

std::vector<Recommendation> Best::take() {
  std::sort(heap_.begin(), heap_.end(), better);
  return std::exchange(heap_, {});
}

std::vector<std::vector<Recommendation>> top_items(const TrainedModel& model, std::span<const Asker> askers,
                                                   std::size_t most, unsigned threads) {
  std::vector<std::vector<Recommendation>> out(askers.size());
  for_each_block(askers.size(), threads, [&](std::size_t first, std::size_t count) {
    std::vector<Best> best(count, Best(most));
    for_each_scores(
        model, askers.subspan(first, count),
        [&](std::size_t u, std::uint32_t item, std::span<const float> scores) { best[u].offer(item, scores); });
    for (std::size_t u = 0; u < count; ++u) {
      out[first + u] = best[u].take();
      for (Recommendation& one : out[first + u]) one.score += static_cast<float>(model.base + askers[first + u].bias);
    }
  });
  return out;
}

}  // namespace rota::mf
