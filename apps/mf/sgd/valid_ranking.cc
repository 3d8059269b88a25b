#include "apps/mf/sgd/valid_ranking.h"

#include <algorithm>

namespace rota::mf {

void ValidRanking::add(std::uint32_t user, std::uint32_t item) {
  if (users_.empty() || users_.back().row != user) users_.push_back({user, {}, Best(kValidTop)});
  std::vector<std::uint32_t>& items = users_.back().held_out;
  if (items.empty() || items.back() != item) items.push_back(item);
}

void ValidRanking::visit(std::span<const Key> keys, const FactorRows& items, const FactorRows& users,
                         const RatedRows& rated) {
  if (keys.empty()) return;
  ItemRows all{items.factors(0).data(), items.width(), {}};
  for (std::size_t i = 0; i < items.rows(); ++i) all.biases.push_back(items.bias(i));
  std::vector<float> rows, products;
  for (std::size_t first = 0; first < users_.size(); first += kBlockUsers) {
    const std::span<User> some = std::span(users_).subspan(first, std::min(kBlockUsers, users_.size() - first));
    rows.resize(some.size() * all.width);
    for (std::size_t u = 0; u < some.size(); ++u)
      std::copy_n(users.factors(some[u].row).data(), all.width,
                  rows.begin() + static_cast<std::ptrdiff_t>(u * all.width));
    score_items(
        all, 0, keys.size(), rows, products, [&](std::size_t u) { return rated.of(some[u].row); },
        [&](std::size_t u, std::size_t place, std::span<const float> scores) {
          for (const float score : scores) some[u].best.offer({static_cast<std::uint32_t>(keys[place++]), score});
        });
  }
}

void ValidRanking::finish(Terms terms) {
  for (User& user : users_) add_ranking(top_scores(user.best.take(), user.held_out, kValidTop), terms);
}

}  // namespace rota::mf
