// apps/mf/scoring/ranking.h -- how high a model ranks the items that were held out.
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
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/mf/scoring/top_items.h"
#include "rota/job.h"

namespace rota::mf {

struct TopScores {
  double precision = 0, recall = 0, ndcg = 0;
};
// Of one user, by the `top` best items, the best first, and its held-out ones, ascending and at least one.  For
// top <= 10 equal on every machine to the last bit, so that patience may depend on it.
TopScores top_scores(std::span<const Recommendation> best, std::span<const std::uint32_t> held_out, std::size_t top);

inline constexpr std::size_t kValidTop = 10;  // the length of the list in training
// Adds those of one user to the terms of an evaluation.
void add_ranking(const TopScores& scores, Terms terms);

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

}  // namespace rota::mf
