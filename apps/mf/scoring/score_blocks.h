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
#include "apps/mf/kernels.h"

namespace rota::mf {

inline constexpr std::size_t kBlockUsers = 128;  // users scored at once
inline constexpr std::size_t kBlockItems = 256;  // items scored at once: their factors stay in the cache

// Consecutive rows of factors, `width` of each, a multiple of 16, and biases.
struct ItemRows {
  const float* factors;
  std::size_t width;
  std::span<const float> biases;  // one for each item
};

// Scores these items for users whose rows of factors are one after the other.  Calls use(u, first, scores) for runs of
// consecutive items, which together are all but those of excluded(u), ascending: both are places in `items`.
// `products` is room to work in.
template <typename Excluded, typename Use>
void score_items(const ItemRows& items, std::span<const float> users, std::vector<float>& products, Excluded excluded,
                 Use use) {
  const std::size_t count = items.biases.size(), user_count = users.size() / items.width;
  const std::size_t stride = (count + kScoreLanes - 1) / kScoreLanes * kScoreLanes;
  products.resize(user_count * stride);
  kernels().score_rows({users.data(), user_count, items.factors, count, items.width, products.data(), stride});
  for (std::size_t u = 0; u < user_count; ++u) {
    float* const scores = products.data() + u * stride;
    for (std::size_t i = 0; i < count; ++i) scores[i] += items.biases[i];
    std::size_t begin = 0;
    const auto use_until = [&](std::size_t end) {
      if (end > begin) use(u, begin, std::span<const float>(scores + begin, end - begin));
      begin = end + 1;
    };
    for (const std::size_t place : excluded(u)) use_until(place);
    use_until(count);
  }
}

// A user to recommend to.
struct Asker {
  std::span<const float> factors;           // of the width of the model's rows
  double bias = 0;                          // added to all scores, like the model's base
  std::span<const std::uint32_t> excluded;  // items, ascending, each once
};

// Scores without the terms that are the same for all items, which could hide them in floats: the base, and the asker's
// bias.  Calls use(u, item, scores) for runs of items `item`, `item` + 1, ..., which together are all that are not
// excluded for asker u, for each of these in the order of the items.
template <typename Use>
void for_each_scores(const TrainedModel& model, std::span<const Asker> askers, Use use) {
  std::vector<float> users, biases, products;
  for (const Asker& one : askers) users.insert(users.end(), one.factors.begin(), one.factors.end());
  std::vector<std::uint32_t> places;
  for (std::size_t first = 0; first < model.items.size(); first += kBlockItems) {
    const std::size_t end = std::min(first + kBlockItems, model.items.size());
    biases.assign(model.items.biases.begin() + static_cast<std::ptrdiff_t>(first),
                  model.items.biases.begin() + static_cast<std::ptrdiff_t>(end));
    const auto excluded = [&](std::size_t u) -> std::span<const std::uint32_t> {
      places.clear();
      for (auto one = std::ranges::lower_bound(askers[u].excluded, first);
           one != askers[u].excluded.end() && *one < end; ++one)
        places.push_back(static_cast<std::uint32_t>(*one - first));
      return places;
    };
    score_items({model.items.row(first).data(), model.items.width, biases}, users, products, excluded,
                [&](std::size_t u, std::size_t place, std::span<const float> scores) {
                  use(u, static_cast<std::uint32_t>(first + place), scores);
                });
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
