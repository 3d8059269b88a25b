#include "apps/mf/ranking.h"

#include <atomic>
#include <cmath>
#include <iterator>
#include <thread>

#include "rota/numerics/widest_registers.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors pass between functions of this file only, all of them inlined

namespace rota::mf {
namespace {

using Part = float __attribute__((vector_size(32)));
constexpr std::size_t kItemLanes = 16, kPart = 8;

// The products of N users with 16 items, whose factors are side by side: number k * 16 + i is factor k of item i.  So a
// vector holds the same factor of several items, and no product has to be summed across a vector.
template <std::size_t N>
[[gnu::always_inline]] inline void multiply(const float* users, const float* items, std::size_t width, float* products,
                                            std::size_t stride) {
#define ROTA_EACH_USER _Pragma("GCC unroll 4") for (std::size_t u = 0; u < N; ++u)
  Part low[N]{}, high[N]{};
  for (std::size_t k = 0; k < width; ++k) {
    Part a, b;
    __builtin_memcpy(&a, items + k * kItemLanes, sizeof a);
    __builtin_memcpy(&b, items + k * kItemLanes + kPart, sizeof b);
    ROTA_EACH_USER {
      low[u] += users[u * width + k] * a;
      high[u] += users[u * width + k] * b;
    }
  }
  ROTA_EACH_USER {
    __builtin_memcpy(products + u * stride, &low[u], sizeof(Part));
    __builtin_memcpy(products + u * stride + kPart, &high[u], sizeof(Part));
  }
}

// 1 / log2(place + 2).  The first ones as constants: the C library's logarithm may differ in its last bit.
double discount(std::size_t place) {
  static constexpr double kFirst[] = {1.0,
                                      0.6309297535714575,
                                      0.5,
                                      0.43067655807339306,
                                      0.38685280723454163,
                                      0.3562071871080222,
                                      0.3333333333333333,
                                      0.31546487678572877,
                                      0.3010299956639812,
                                      0.2890648263178879};
  return place < std::size(kFirst) ? kFirst[place] : 1 / std::log2(static_cast<double>(place + 2));
}

// How one user's held-out items compare with all of its ranking.
struct Curve {
  std::vector<float> held = {};  // their scores, the highest first
  double ranked = 0;
  double won = 0;  // pairs of a held-out item and another with the right order

  void add(float score) {
    const auto equal = std::ranges::equal_range(held, score, std::greater<>());
    won += static_cast<double>(equal.begin() - held.begin()) + static_cast<double>(equal.size()) / 2;
    ranked += 1;
  }
};

// The same bits as the kernel's.
float score_of(const ItemRows& items, std::size_t item, std::span<const float> factors) {
  float sum = 0;
  for (std::size_t k = 0; k < items.width; ++k) sum += factors[k] * items.factors[item * items.width + k];
  return sum + items.biases[item];
}

}  // namespace

ROTA_WIDEST_REGISTERS void score_rows(std::span<const float> users, std::span<const float> items, std::size_t width,
                                      float* products, std::size_t stride) {
  const std::size_t user_count = users.size() / width, item_count = items.size() / width;
  std::vector<float> side_by_side(width * kItemLanes);
  for (std::size_t item = 0; item < item_count; item += kItemLanes) {
    for (std::size_t i = 0; i < std::min(kItemLanes, item_count - item); ++i)
      for (std::size_t k = 0; k < width; ++k) side_by_side[k * kItemLanes + i] = items[(item + i) * width + k];
    std::size_t u = 0;
    for (; u + 4 <= user_count; u += 4)
      multiply<4>(&users[u * width], side_by_side.data(), width, products + u * stride + item, stride);
    for (; u < user_count; ++u)
      multiply<1>(&users[u * width], side_by_side.data(), width, products + u * stride + item, stride);
  }
}

std::vector<std::vector<Recommendation>> top_items(const ItemRows& items, std::span<const Asker> askers,
                                                   std::size_t most, unsigned threads,
                                                   const std::function<void(std::size_t, float)>& also) {
  std::vector<std::vector<Recommendation>> out(askers.size());
  std::atomic<std::size_t> next = 0;
  const auto work_off = [&] {
    for (std::size_t at = next.fetch_add(kAskers); at < askers.size(); at = next.fetch_add(kAskers)) {
      const std::span<const Asker> some = askers.subspan(at, std::min(kAskers, askers.size() - at));
      std::vector<Best> best(some.size(), Best(most));
      score_items(items, some, [&](std::size_t u, std::uint32_t item, float score) {
        best[u].offer({item, score});
        if (also) also(at + u, score);
      });
      for (std::size_t u = 0; u < some.size(); ++u) out[at + u] = best[u].take();
    }
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < threads && t * kAskers < askers.size(); ++t) others.emplace_back(work_off);
  work_off();
  others.clear();
  return out;
}

TopScores top_scores(std::span<const Recommendation> best, std::span<const std::uint32_t> held_out, std::size_t top) {
  double hits = 0, gain = 0, most = 0;
  for (std::size_t place = 0; place < best.size(); ++place)
    if (std::ranges::binary_search(held_out, best[place].item)) {
      hits += 1;
      gain += discount(place);
    }
  for (std::size_t place = 0; place < std::min(top, held_out.size()); ++place) most += discount(place);
  return {hits / static_cast<double>(top), hits / static_cast<double>(held_out.size()), gain / most};
}

RankingMetrics ranking_metrics(const ItemRows& items, std::span<const RankedUser> users, std::size_t top,
                               unsigned threads) {
  std::vector<Curve> curves(users.size());
  std::vector<Asker> askers;
  for (std::size_t u = 0; u < users.size(); ++u) {
    askers.push_back(users[u].asker);
    for (const std::uint32_t item : users[u].held_out)
      curves[u].held.push_back(score_of(items, item, users[u].asker.factors));
    std::ranges::sort(curves[u].held, std::greater<>());
  }
  const auto best = top_items(items, askers, top, threads, [&](std::size_t u, float score) { curves[u].add(score); });
  RankingMetrics out;
  out.users = users.size();
  for (std::size_t u = 0; u < users.size(); ++u) {
    const TopScores scores = top_scores(best[u], users[u].held_out, top);
    out.top.precision += scores.precision;
    out.top.recall += scores.recall;
    out.top.ndcg += scores.ndcg;
    const auto held = static_cast<double>(curves[u].held.size()), others = curves[u].ranked - held;
    if (others == 0) continue;
    out.auc += (curves[u].won - held * held / 2) / held / others;  // pairs of held-out ones are half won
    ++out.auc_users;
  }
  for (double* const mean : {&out.top.precision, &out.top.recall, &out.top.ndcg})
    *mean /= static_cast<double>(std::max<std::uint64_t>(1, out.users));
  out.auc /= static_cast<double>(std::max<std::uint64_t>(1, out.auc_users));
  return out;
}

void ValidRanking::add(std::uint32_t user, std::uint32_t item) {
  if (users_.empty() || users_.back().number != user) users_.push_back({user, {}});
  std::vector<std::uint32_t>& items = users_.back().held_out;
  if (items.empty() || items.back() != item) items.push_back(item);
}

void ValidRanking::finish(Terms terms) {
  for (User& user : users_) {
    const TopScores scores = top_scores(user.best.take(), user.held_out, kTop);
    terms["valid_ndcg_sum"] += scores.ndcg;
    terms["valid_recall_sum"] += scores.recall;
    terms["valid_precision_sum"] += scores.precision;
    terms["valid_users"] += 1;
  }
}

}  // namespace rota::mf
