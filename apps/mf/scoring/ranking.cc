#include "apps/mf/scoring/ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

namespace rota::mf {
namespace {

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

// Scores of one user's held-out items, and how they compare with all of its ranking.
class Curve {
 public:
  Curve(const ItemRows& items, const RankedUser& user) {
    ItemRows held{nullptr, items.width, {}};
    std::vector<float> rows, products;
    for (const std::uint32_t item : user.held_out) {
      rows.insert(rows.end(), items.factors + item * items.width, items.factors + (item + 1) * items.width);
      held.biases.push_back(items.biases[item]);
    }
    held.factors = rows.data();
    score_items(
        held, 0, held.biases.size(), user.asker.factors, products,
        [](std::size_t) { return std::span<const std::uint32_t>(); },
        [&](std::size_t, std::size_t, std::span<const float> scores) { held_.assign(scores.begin(), scores.end()); });
    std::ranges::sort(held_, std::greater<>());
  }
  void add(std::span<const float> scores) {
    for (const float score : scores) {
      const auto equal = std::ranges::equal_range(held_, score, std::greater<>());
      won_ += static_cast<double>(equal.begin() - held_.begin()) + static_cast<double>(equal.size()) / 2;
    }
    ranked_ += scores.size();
  }
  // After the scores of all items, also of the held-out ones: their pairs among themselves are half won.
  std::optional<double> area() const {
    const auto held = static_cast<double>(held_.size()), others = static_cast<double>(ranked_) - held;
    if (others == 0) return std::nullopt;
    return (won_ - held * held / 2) / held / others;
  }

 private:
  std::vector<float> held_;  // the highest first
  std::size_t ranked_ = 0;
  double won_ = 0;  // pairs of a held-out item and another with the right order
};

}  // namespace

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

void add_ranking(const TopScores& scores, Terms terms) {
  terms["valid_ndcg_sum"] += scores.ndcg;
  terms["valid_recall_sum"] += scores.recall;
  terms["valid_precision_sum"] += scores.precision;
  terms["valid_users"] += 1;
}

RankingMetrics ranking_metrics(const ItemRows& items, std::span<const RankedUser> users, std::size_t top,
                               unsigned threads) {
  std::vector<Curve> curves;
  std::vector<Asker> askers;
  for (const RankedUser& user : users) {
    curves.emplace_back(items, user);
    askers.push_back(user.asker);
  }
  const auto best = top_items(items, askers, top, threads,
                              [&](std::size_t u, std::span<const float> scores) { curves[u].add(scores); });
  RankingMetrics out;
  out.users = users.size();
  for (std::size_t u = 0; u < users.size(); ++u) {
    const TopScores scores = top_scores(best[u], users[u].held_out, top);
    out.top.precision += scores.precision;
    out.top.recall += scores.recall;
    out.top.ndcg += scores.ndcg;
    if (const auto area = curves[u].area()) {
      out.auc += *area;
      ++out.auc_users;
    }
  }
  for (double* const mean : {&out.top.precision, &out.top.recall, &out.top.ndcg})
    *mean /= static_cast<double>(std::max<std::uint64_t>(1, out.users));
  out.auc /= static_cast<double>(std::max<std::uint64_t>(1, out.auc_users));
  return out;
}

}  // namespace rota::mf
