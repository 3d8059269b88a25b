// apps/mf/scoring/score_blocks.h -- all scores of many users, a block of users and items at a time, by several threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "apps/mf/commands/trained_model.h"
#include "apps/mf/scoring/score_kernel.h"

namespace rota::mf {

// A user to recommend to.
struct Asker {
  std::span<const float> factors;           // of the width of the model's rows
  double bias = 0;                          // added to all scores, like the model's base
  std::span<const std::uint32_t> excluded;  // items, ascending
};

inline constexpr std::size_t kBlockUsers = 128;  // users scored at once
inline constexpr std::size_t kBlockItems = 256;  // items scored at once: their factors stay in the cache
static_assert(kBlockItems % kScoreLanes == 0);

// Scores without the terms that are the same for all items, which could hide them in floats: the base, and the asker's
// bias.  Calls use(u, item, scores) for runs of items `item`, `item` + 1, ..., which together are all that are not
// excluded for asker u, for each of these in the order of the items.
template <typename Use>
void for_each_scores(const TrainedModel& model, std::span<const Asker> askers, ScoreRows score, Use use) {
  const std::size_t width = model.items.width;
  std::vector<float> users(askers.size() * width), products(askers.size() * kBlockItems), biases(kBlockItems);
  std::vector<std::size_t> passed(askers.size());  // excluded items so far
  for (std::size_t u = 0; u < askers.size(); ++u)
    std::copy(askers[u].factors.begin(), askers[u].factors.end(),
              users.begin() + static_cast<std::ptrdiff_t>(u * width));
  for (std::size_t first = 0; first < model.items.size(); first += kBlockItems) {
    const std::size_t count = std::min(kBlockItems, model.items.size() - first);
    score({users.data(), askers.size(), model.items.factors.data() + first * width, count, width, products.data(),
           kBlockItems});
    for (std::size_t i = 0; i < count; ++i) biases[i] = static_cast<float>(model.items.biases[first + i]);
    for (std::size_t u = 0; u < askers.size(); ++u) {
      float* const scores = products.data() + u * kBlockItems;
      for (std::size_t i = 0; i < count; ++i) scores[i] += biases[i];
      const std::span<const std::uint32_t> excluded = askers[u].excluded;
      std::size_t begin = 0;
      const auto use_until = [&](std::size_t end) {
        if (end > begin)
          use(u, static_cast<std::uint32_t>(first + begin), std::span<const float>(scores + begin, end - begin));
      };
      for (; passed[u] < excluded.size() && excluded[passed[u]] < first + count; ++passed[u]) {
        use_until(excluded[passed[u]] - first);
        begin = std::max(begin, excluded[passed[u]] - first + 1);
      }
      use_until(count);
    }
  }
}

// Calls work(first, count) for blocks of askers, each by one of the threads.
template <typename Work>
void for_each_block(std::size_t askers, unsigned threads, Work work) {
  std::atomic<std::size_t> next = 0;
  const auto work_off = [&] {
    for (std::size_t at = next.fetch_add(kBlockUsers); at < askers; at = next.fetch_add(kBlockUsers))
      work(at, std::min(kBlockUsers, askers - at));
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < threads && t * kBlockUsers < askers; ++t) others.emplace_back(work_off);
  work_off();
}

}  // namespace rota::mf
