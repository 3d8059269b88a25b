#include "apps/kmeans/shard.h"

#include <algorithm>
#include <span>

namespace rota::kmeans {

Shard::Shard(ShardId number, Rows rows, std::shared_ptr<SharedCentres> all)
    : number_(number),
      rows_(std::move(rows)),
      all_(std::move(all)),
      cluster_(rows_.size(), kNone),
      weight_(rows_.size(), 1.0) {}

Talk Shard::propose(std::uint32_t first, std::uint32_t count, Random& random) {
  if (first == 0) {
    if (inertia_ < best_inertia_) {
      best_inertia_ = inertia_;
      best_ = cluster_;
    }
    inertia_ = std::numeric_limits<double>::infinity();
    relocated_.clear();
    weight_.assign(rows_.size(), 1);
  }
  Talk note;
  note.wanted = count;
  std::vector<double> keys(rows_.size());
  for (std::size_t r = 0; r < keys.size(); ++r) keys[r] = draw_key(random.uniform(), weight_[r]);
  for (const std::uint32_t r : smallest(keys, count)) {
    const Row row = rows_[r];
    note.candidates.push_back(
        {keys[r], number_, r, {row.columns.begin(), row.columns.end()}, {row.values.begin(), row.values.end()}});
  }
  return note;
}

void Shard::drawn(std::pair<RoundId, std::uint64_t> round_and_version, std::uint32_t first, const Talk& won) {
  std::vector<Row> rows;
  for (const Candidate& each : won.candidates) rows.push_back(each.content());
  all_->draw(round_and_version, first, rows);
}

Talk Shard::weigh() const {
  const Centres& drawn = all_->drawn();
  Talk note;
  note.potentials.resize(drawn.clusters());
  std::vector<double> distances(drawn.clusters());
  for (std::size_t r = 0; drawn.clusters() > 1 && r < rows_.size(); ++r) {
    drawn.distances(rows_[r], rows_.square(r), distances);
    for (std::size_t i = 0; i < distances.size(); ++i) note.potentials[i] += std::min(weight_[r], distances[i]);
  }
  return note;
}

void Shard::choose(std::uint32_t cluster, const Talk& weighed) {
  const auto best = std::min_element(weighed.potentials.begin(), weighed.potentials.end()) - weighed.potentials.begin();
  const auto i = static_cast<std::uint32_t>(best);
  all_->take(cluster, i);
  // The next rows are drawn by the squared distance to the nearest existing centre.
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const double distance = all_->drawn().distance(rows_[r], i);
    weight_[r] = cluster == 0 ? distance : std::min(weight_[r], distance);
  }
}

const Assignment& Shard::assignment(const std::shared_ptr<const Centres>& centres) const {
  if (assigned_to_ != centres) {
    assignment_ = assign(rows_, *centres);
    assigned_to_ = centres;
  }
  return assignment_;
}

Talk Shard::look(const std::shared_ptr<const Centres>& centres) const {
  const Assignment& now = assignment(centres);
  Talk note;
  note.wanted = static_cast<std::uint32_t>(centres->empty().size());
  note.inertia = now.inertia;
  for (std::size_t r = 0; r < rows_.size(); ++r) note.moved += now.cluster[r] != cluster_[r] ? 1 : 0;
  for (const FarRow& far : now.farthest) note.candidates.push_back({-far.distance, number_, far.row, {}, {}});
  return note;
}

void Shard::relocate(const Talk& won, const Centres& centres) {
  inertia_ = won.inertia;
  relocated_.clear();
  for (std::size_t i = 0; i < std::min(won.candidates.size(), centres.empty().size()); ++i)
    if (won.candidates[i].shard == number_) relocated_[won.candidates[i].row] = centres.empty()[i];
}

void Shard::save(Writer& out, const std::shared_ptr<const Centres>& centres) const {
  const Assignment& now = assignment(centres);
  ShardState state{now.cluster, now.distance, cluster_, best_, {relocated_.begin(), relocated_.end()},
                   inertia_,    best_inertia_};
  write_fields(out, state);
}

void Shard::restore(Reader& in) {
  ShardState state;
  FieldReader list(in);
  list(state);
  const auto all_known = [&](const std::vector<std::uint32_t>& of_rows, std::size_t size) {
    return of_rows.size() == size && std::all_of(of_rows.begin(), of_rows.end(),
                                                 [&](std::uint32_t k) { return k < all_->clusters() || k == kNone; });
  };
  const bool relocated_known = std::all_of(state.relocated.begin(), state.relocated.end(), [&](const auto& each) {
    return each.first < rows_.size() && each.second < all_->clusters();
  });
  if (!all_known(state.cluster, rows_.size()) || !all_known(state.best, state.best.empty() ? 0 : rows_.size()) ||
      !relocated_known)
    return in.fail();
  cluster_ = std::move(state.cluster);
  best_ = std::move(state.best);
  relocated_ = {state.relocated.begin(), state.relocated.end()};
  inertia_ = state.inertia;
  best_inertia_ = state.best_inertia;
}

}  // namespace rota::kmeans
