#include "apps/mf/scoring/top_items.h"

#include <algorithm>
#include <atomic>
#include <thread>
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
  constexpr std::size_t kAtOnce = 16;  // most are not better than the worst, which is tested for several at once
  while (!scores.empty()) {
    const auto some = scores.first(std::min(kAtOnce, scores.size()));
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

std::vector<std::vector<Recommendation>> top_items(
    const ItemRows& items, std::span<const Asker> askers, std::size_t most, unsigned threads,
    const std::function<void(std::size_t asker, std::span<const float> scores)>& also) {
  std::vector<std::vector<Recommendation>> out(askers.size());
  const auto rank = [&](std::size_t first_asker, std::size_t count) {
    const std::span<const Asker> some = askers.subspan(first_asker, count);
    std::vector<Best> best(count, Best(most));
    std::vector<float> rows, products;
    for (const Asker& one : some) rows.insert(rows.end(), one.factors.begin(), one.factors.end());
    for (std::size_t first = 0; first < items.biases.size(); first += kBlockItems) {
      const std::size_t end = std::min(first + kBlockItems, items.biases.size());
      const auto excluded = [&](std::size_t u) {
        const auto all = some[u].excluded;
        return std::span(std::ranges::lower_bound(all, first), std::ranges::lower_bound(all, end));
      };
      score_items(items, first, end, rows, products, excluded,
                  [&](std::size_t u, std::size_t item, std::span<const float> scores) {
                    best[u].offer(static_cast<std::uint32_t>(item), scores);
                    if (also) also(first_asker + u, scores);
                  });
    }
    for (std::size_t u = 0; u < count; ++u) out[first_asker + u] = best[u].take();
  };
  std::atomic<std::size_t> next = 0;
  const auto work_off = [&] {
    for (std::size_t at = next.fetch_add(kBlockUsers); at < askers.size(); at = next.fetch_add(kBlockUsers))
      rank(at, std::min(kBlockUsers, askers.size() - at));
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < threads && t * kBlockUsers < askers.size(); ++t) others.emplace_back(work_off);
  work_off();
  others.clear();
  return out;
}

}  // namespace rota::mf
