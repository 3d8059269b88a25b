// apps/mf/ranking.h -- the best items for many users, and how high a model ranks the items that were held out.
//
// A user's ranking has all items but those that are excluded (the user's in the training data), the highest score
// first, of equal scores the item of the lower number first.  With H the user's held-out items, all of them equally
// relevant, and k the length of the list:
//
//   precision  hits among the first k / k
//   recall     hits among the first k / |H|
//   ndcg       the sum over the hits, at places 1, 2, ..., of 1 / log2(place + 1), divided by the same sum of the best
//              ranking, which has min(k, |H|) hits first
//   auc        the probability that an item of H has a higher score than another item of the ranking; equal scores
//              count half
//
// (Manning, Raghavan and Schuetze, "Introduction to Information Retrieval", 2008, chapter 8; ndcg: Jarvelin and
// Kekalainen, 2002.)  Those are means over users, like scikit-learn's ndcg_score and roc_auc_score of each user.  The
// library `implicit` differs: its precision is all hits / the sum of min(k, |H|), and its AUC uses the first k alone.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "rota/job.h"

namespace rota::mf {

struct Recommendation {
  std::uint32_t item;
  float score;
};

// The best items offered so far, as a heap whose first element is the worst of them.
class Best {
 public:
  explicit Best(std::size_t most) : most_(most) {}
  void offer(Recommendation one) {
    if (heap_.size() == most_ && (most_ == 0 || !better(one, heap_.front()))) return;
    if (heap_.size() == most_) {
      std::ranges::pop_heap(heap_, better);
      heap_.pop_back();
    }
    heap_.push_back(one);
    std::ranges::push_heap(heap_, better);
  }
  // Returns the best first, and clears them.
  std::vector<Recommendation> take() {
    std::ranges::sort(heap_, better);
    return std::exchange(heap_, {});
  }

 private:
  // For equal scores the item with the lower number comes first.
  static bool better(const Recommendation& a, const Recommendation& b) {
    return a.score != b.score ? a.score > b.score : a.item < b.item;
  }
  std::size_t most_;
  std::vector<Recommendation> heap_;
};

// Consecutive rows of factors, `width` of each, a multiple of 16, and their biases.
struct ItemRows {
  const float* factors;
  std::size_t width;
  std::vector<float> biases;

  std::size_t size() const { return biases.size(); }
};

// A user to recommend to.
struct Asker {
  std::span<const float> factors;           // of the width of the items' rows
  std::span<const std::uint32_t> excluded;  // items, ascending, each once
};
inline constexpr std::size_t kAskers = 128;  // scored at once, at most

// products[u * stride + i] = user u . item i, summed in the order of the factors: equal bits on every processor.  Rows
// are `width` floats, a multiple of 16, one after the other.  The stride is a multiple of 16, and numbers after the
// items are undefined.
void score_rows(std::span<const float> users, std::span<const float> items, std::size_t width, float* products,
                std::size_t stride);

// Calls use(asker, item, score) for all items that are not excluded for the asker, ascending.  A score is the product
// of the factors, and the item's bias.
template <typename Use>
void score_items(const ItemRows& items, std::span<const Asker> askers, Use use) {
  constexpr std::size_t kItems = 256;  // scored at once: their factors stay in the cache
  std::vector<float> rows, products(askers.size() * kItems);
  std::vector<std::size_t> excluded(askers.size());  // the number of those that are passed
  for (const Asker& one : askers) rows.insert(rows.end(), one.factors.begin(), one.factors.end());
  for (std::size_t first = 0; first < items.size(); first += kItems) {
    const std::size_t end = std::min(first + kItems, items.size());
    score_rows(rows, {items.factors + first * items.width, (end - first) * items.width}, items.width, products.data(),
               kItems);
    for (std::size_t u = 0; u < askers.size(); ++u)
      for (std::size_t i = first; i < end; ++i) {
        if (excluded[u] < askers[u].excluded.size() && askers[u].excluded[excluded[u]] == i)
          ++excluded[u];
        else
          use(u, static_cast<std::uint32_t>(i), products[u * kItems + i - first] + items.biases[i]);
      }
  }
}

// The `most` items with the highest scores for each, the highest first; of equal ones the first.  Calls also(asker,
// score) for each item that is not excluded for it.  Uses the threads given.  The result does not depend on their
// number, nor on the processor.
std::vector<std::vector<Recommendation>> top_items(const ItemRows& items, std::span<const Asker> askers,
                                                   std::size_t most, unsigned threads,
                                                   const std::function<void(std::size_t, float)>& also = {});

struct TopScores {
  double precision = 0, recall = 0, ndcg = 0;
};
// Of one user, by the `top` best items, the best first, and its held-out ones, ascending and at least one.  For
// top <= 10 equal on every machine to the last bit, so that patience may depend on it.
TopScores top_scores(std::span<const Recommendation> best, std::span<const std::uint32_t> held_out, std::size_t top);

struct RankedUser {
  Asker asker;
  std::span<const std::uint32_t> held_out;  // items, ascending; none of the excluded ones
};
struct RankingMetrics {
  std::uint64_t users = 0;  // with held-out items
  TopScores top;
  std::uint64_t auc_users = 0;  // of those, with other items to rank, too
  double auc = 0;
};
// The means; 0 without users.  Equal for any number of threads, and on every processor.
RankingMetrics ranking_metrics(const ItemRows& items, std::span<const RankedUser> users, std::size_t top,
                               unsigned threads);

// The ranking of a shard's users in training: of all items at once, or of some at a time.  A user keeps the best of the
// items so far, so the scores need memory in proportion to the held-out items.
class ValidRanking {
 public:
  static constexpr std::size_t kTop = 10;  // the length of the list

  // Adds a relevant item of a user, which is not in its training data; users, and items of a user, ascending.
  void add(std::uint32_t user, std::uint32_t item);
  bool empty() const { return users_.empty(); }
  // Ranks these items too.  asker_of(user) has the user's factors, and which of the items are excluded; number_of(i) is
  // the number of item i of them.
  template <typename AskerOf, typename NumberOf>
  void visit(const ItemRows& items, AskerOf asker_of, NumberOf number_of) {
    for (std::size_t first = 0; first < users_.size(); first += kAskers) {
      const auto some = std::span(users_).subspan(first, std::min(kAskers, users_.size() - first));
      std::vector<Asker> askers;
      for (const User& user : some) askers.push_back(asker_of(user.number));
      score_items(items, askers, [&](std::size_t u, std::uint32_t item, float score) {
        some[u].best.offer({static_cast<std::uint32_t>(number_of(item)), score});
      });
    }
  }
  // After all items: adds the users' scores to the terms of an evaluation.  Resets the ranking.
  void finish(Terms terms);

 private:
  struct User {
    std::uint32_t number;
    std::vector<std::uint32_t> held_out;
    Best best{kTop};
  };
  std::vector<User> users_;
};

}  // namespace rota::mf
