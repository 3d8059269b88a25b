#include "apps/mf/scoring/valid_ranking.h"

#include <algorithm>

#include "apps/mf/scoring/ranking.h"
#include "apps/mf/scoring/score_kernel.h"

namespace rota::mf {

void ValidRanking::add(std::uint32_t user, std::uint32_t item) {
  if (users_.empty() || users_.back().row != user) users_.push_back({user, {}, Best(kValidTop)});
  std::vector<std::uint32_t>& items = users_.back().held_out;
  if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
}

void ValidRanking::visit(const FactorRows& users, const RatedRows& rated, const FactorRows& slice,
                         std::span<const Key> items) {
  if (items.empty()) return;
  std::vector<float> biases(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) biases[i] = slice.bias(i);
  visit(
      {items, slice.factors(0).data(), slice.width(), biases},
      [&](std::uint32_t user, float* row) { std::copy_n(users.factors(user).data(), users.width(), row); },
      [&](std::uint32_t user) { return rated.of(user); });
}

void ValidRanking::visit(const ItemRows& items, const std::function<void(std::uint32_t user, float* row)>& put,
                         const std::function<std::span<const std::uint32_t>(std::uint32_t user)>& seen) {
  const ScoreRows score = choose_score_kernel();
  const std::size_t width = items.width, item_count = items.numbers.size();
  const std::size_t stride = (item_count + kScoreLanes - 1) / kScoreLanes * kScoreLanes;
  std::vector<float> rows(kBlockUsers * width), products(kBlockUsers * stride);
  for (std::size_t first = 0; first < users_.size() && item_count > 0; first += kBlockUsers) {
    const std::size_t count = std::min(kBlockUsers, users_.size() - first);
    for (std::size_t u = 0; u < count; ++u) put(users_[first + u].row, rows.data() + u * width);
    score({rows.data(), count, items.factors, item_count, width, products.data(), stride});
    for (std::size_t u = 0; u < count; ++u) {
      User& user = users_[first + u];
      const std::span<const std::uint32_t> rated = seen(user.row);
      for (std::size_t i = 0, passed = 0; i < item_count; ++i) {
        if (passed < rated.size() && rated[passed] == i) {
          ++passed;
        } else {
          user.best.offer({static_cast<std::uint32_t>(items.numbers[i]), products[u * stride + i] + items.biases[i]});
        }
      }
    }
  }
}

void ValidRanking::finish(std::span<double> sums) {
  for (User& user : users_) {
    const std::vector<Recommendation> best = user.best.take();
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < best.size(); ++place)
      if (std::find(user.held_out.begin(), user.held_out.end(), best[place].item) != user.held_out.end())
        places.push_back(place);
    const TopScores scores = top_scores(places, user.held_out.size(), kValidTop);
    sums[0] += scores.ndcg;
    sums[1] += scores.recall;
    sums[2] += scores.precision;
    sums[3] += 1;
  }
}

}  // namespace rota::mf
