#include "apps/mf/scoring/ranking.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "apps/mf/scoring/top_items.h"

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

// The ranking of one user, as items are offered.
class Ranking {
 public:
  Ranking(const TrainedModel& model, const RankedUser& user, ScoreRows score) : above_(user.held_out.size()) {
    const std::size_t width = model.items.width, count = user.held_out.size();
    const std::size_t stride = (count + kScoreLanes - 1) / kScoreLanes * kScoreLanes;
    std::vector<float> rows(count * width), products(stride);
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const float> row = model.items.row(user.held_out[i]);
      std::copy(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
    score({user.asker.factors.data(), 1, rows.data(), count, width, products.data(), stride});
    for (std::size_t i = 0; i < count; ++i)
      held_.push_back({user.held_out[i], products[i] + static_cast<float>(model.items.biases[user.held_out[i]])});
    std::sort(held_.begin(), held_.end(), better);
  }
  // An item that is not held out.
  void offer(const Recommendation& one) {
    const auto by_score = [](const Recommendation& a, const Recommendation& b) { return a.score > b.score; };
    const auto [first, last] = std::equal_range(held_.begin(), held_.end(), one, by_score);
    const auto place = std::lower_bound(first, last, one, better);
    if (place != held_.end()) ++above_[static_cast<std::size_t>(place - held_.begin())];
    won_ += static_cast<double>(first - held_.begin()) + static_cast<double>(last - first) / 2;
    ++others_;
  }
  TopScores top(std::size_t most) const {
    std::vector<std::size_t> places;
    std::size_t place = 0;
    for (std::size_t i = 0; i < held_.size(); ++i, ++place)
      if ((place += above_[i]) < most) places.push_back(place);
    return top_scores(places, held_.size(), most);
  }
  bool has_others() const { return others_ > 0; }
  double auc() const { return won_ / static_cast<double>(held_.size()) / static_cast<double>(others_); }

 private:
  std::vector<Recommendation> held_;  // the best first
  std::vector<std::size_t> above_;    // others between a held-out item and the previous one
  std::size_t others_ = 0;
  double won_ = 0;  // pairs of a held-out item and another with the right order
};

struct UserScores {
  TopScores top;
  double auc = 0;
  bool has_auc = false;
};

void rank(const TrainedModel& model, std::span<const RankedUser> users, std::size_t top, ScoreRows score,
          UserScores* out) {
  std::vector<Ranking> rankings;
  std::vector<std::vector<std::uint32_t>> skipped(users.size());
  std::vector<Asker> askers;
  for (std::size_t u = 0; u < users.size(); ++u) {
    rankings.emplace_back(model, users[u], score);
    askers.push_back(users[u].asker);
    std::merge(users[u].held_out.begin(), users[u].held_out.end(), askers[u].excluded.begin(), askers[u].excluded.end(),
               std::back_inserter(skipped[u]));
    askers[u].excluded = skipped[u];
  }
  for_each_scores(model, askers, score, [&](std::size_t u, std::uint32_t item, std::span<const float> scores) {
    for (const float value : scores) rankings[u].offer({item++, value});
  });
  for (std::size_t u = 0; u < users.size(); ++u) {
    out[u] = {rankings[u].top(top), 0, rankings[u].has_others()};
    if (out[u].has_auc) out[u].auc = rankings[u].auc();
  }
}

}  // namespace

TopScores top_scores(std::span<const std::size_t> places, std::size_t held_out, std::size_t top) {
  double gain = 0, best = 0;
  for (const std::size_t place : places) gain += discount(place);
  for (std::size_t place = 0; place < std::min(top, held_out); ++place) best += discount(place);
  const auto hits = static_cast<double>(places.size());
  return {hits / static_cast<double>(top), hits / static_cast<double>(held_out), gain / best};
}

RankingMetrics ranking_metrics(const TrainedModel& model, std::span<const RankedUser> users, std::size_t top,
                               unsigned threads) {
  std::vector<UserScores> scores(users.size());
  const ScoreRows score = choose_score_kernel();
  for_each_block(users.size(), threads, [&](std::size_t first, std::size_t count) {
    rank(model, users.subspan(first, count), top, score, scores.data() + first);
  });
  RankingMetrics out;
  for (const UserScores& one : scores) {
    out.top.precision += one.top.precision;
    out.top.recall += one.top.recall;
    out.top.ndcg += one.top.ndcg;
    out.auc += one.auc;
    ++out.users;
    if (one.has_auc) ++out.auc_users;
  }
  for (double* const mean : {&out.top.precision, &out.top.recall, &out.top.ndcg})
    *mean /= static_cast<double>(std::max<std::uint64_t>(1, out.users));
  out.auc /= static_cast<double>(std::max<std::uint64_t>(1, out.auc_users));
  return out;
}

}  // namespace rota::mf
