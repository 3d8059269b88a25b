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
  Curve(const TrainedModel& model, const RankedUser& user) {
    std::vector<float> rows, biases, products;
    for (const std::uint32_t item : user.held_out) {
      const std::span<const float> row = model.items.row(item);
      rows.insert(rows.end(), row.begin(), row.end());
      biases.push_back(static_cast<float>(model.items.biases[item]));
    }
    score_items(
        {rows.data(), model.items.width, biases}, user.asker.factors, products,
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

struct UserScores {
  TopScores top;
  std::optional<double> auc;
};

void rank(const TrainedModel& model, std::span<const RankedUser> users, std::size_t top, UserScores* out) {
  std::vector<Best> best(users.size(), Best(top));
  std::vector<Curve> curves;
  std::vector<Asker> askers;
  for (const RankedUser& user : users) {
    curves.emplace_back(model, user);
    askers.push_back(user.asker);
  }
  for_each_scores(model, askers, [&](std::size_t u, std::uint32_t item, std::span<const float> scores) {
    best[u].offer(item, scores);
    curves[u].add(scores);
  });
  for (std::size_t u = 0; u < users.size(); ++u)
    out[u] = {top_scores(best[u].take(), users[u].held_out, top), curves[u].area()};
}

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

RankingMetrics ranking_metrics(const TrainedModel& model, std::span<const RankedUser> users, std::size_t top,
                               unsigned threads) {
  std::vector<UserScores> scores(users.size());
  for_each_block(users.size(), threads, [&](std::size_t first, std::size_t count) {
    rank(model, users.subspan(first, count), top, scores.data() + first);
  });
  RankingMetrics out;
  for (const UserScores& one : scores) {
    out.top.precision += one.top.precision;
    out.top.recall += one.top.recall;
    out.top.ndcg += one.top.ndcg;
    out.auc += one.auc.value_or(0);
    ++out.users;
    if (one.auc) ++out.auc_users;
  }
  for (double* const mean : {&out.top.precision, &out.top.recall, &out.top.ndcg})
    *mean /= static_cast<double>(std::max<std::uint64_t>(1, out.users));
  out.auc /= static_cast<double>(std::max<std::uint64_t>(1, out.auc_users));
  return out;
}

void ValidRanking::add(std::uint32_t user, std::uint32_t item) {
  if (users_.empty() || users_.back().row != user) users_.push_back({user, {}, Best(kValidTop)});
  std::vector<std::uint32_t>& items = users_.back().held_out;
  if (items.empty() || items.back() != item) items.push_back(item);
}

void ValidRanking::visit(std::span<const Key> numbers, const ItemRows& items,
                         const std::function<void(std::uint32_t user, float* row)>& put,
                         const std::function<std::span<const std::uint32_t>(std::uint32_t user)>& rated) {
  std::vector<float> rows, products;
  for (std::size_t first = 0; first < users_.size() && !numbers.empty(); first += kBlockUsers) {
    const std::size_t count = std::min(kBlockUsers, users_.size() - first);
    rows.resize(count * items.width);
    for (std::size_t u = 0; u < count; ++u) put(users_[first + u].row, rows.data() + u * items.width);
    score_items(
        items, rows, products, [&](std::size_t u) { return rated(users_[first + u].row); },
        [&](std::size_t u, std::size_t place, std::span<const float> scores) {
          for (const float score : scores)
            users_[first + u].best.offer({static_cast<std::uint32_t>(numbers[place++]), score});
        });
  }
}

void ValidRanking::finish(std::span<double> sums) {
  for (User& user : users_) {
    const TopScores scores = top_scores(user.best.take(), user.held_out, kValidTop);
    sums[0] += scores.ndcg;
    sums[1] += scores.recall;
    sums[2] += scores.precision;
    sums[3] += 1;
  }
}

}  // namespace rota::mf
