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

Talk Shard::propose(std::uint32_t count, Random& random) const {
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

void Shard::start(std::uint32_t first, const Talk& won) {
  std::vector<Row> rows;
  for (const Candidate& each : won.candidates) rows.push_back(each.content());
  all_->start(first, rows);
  if (rows.size() != 1) return;  // all were drawn at once
  // k-means++: the next one is drawn by the squared distance to the nearest that there is.
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const double distance = all_->to_newest(rows_[r]);
    weight_[r] = first == 0 ? distance : std::min(weight_[r], distance);
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
  relocated_.clear();
  for (std::size_t i = 0; i < std::min(won.candidates.size(), centres.empty().size()); ++i)
    if (won.candidates[i].shard == number_) relocated_[won.candidates[i].row] = centres.empty()[i];
}

void Shard::save(Writer& out) const {
  out.put_all(std::span<const std::uint32_t>(cluster_));
  out.put_varint(relocated_.size());
  for (const auto& [row, cluster] : relocated_) {
    out.put_varint(row);
    out.put_varint(cluster);
  }
}

void Shard::restore(Reader& in) {
  const std::uint32_t clusters = all_->clusters();
  auto members = in.get_all<std::uint32_t>();
  const bool known =
      std::all_of(members.begin(), members.end(), [&](std::uint32_t k) { return k < clusters || k == kNone; });
  if (members.size() != rows_.size() || !known) return in.fail();
  cluster_ = std::move(members);
  relocated_.clear();
  for (std::size_t left = in.get_count(2); left > 0; --left) {
    const auto row = in.get_bounded<std::uint32_t>(rows_.size());
    relocated_[row] = in.get_bounded<std::uint32_t>(clusters - 1);
  }
}

}  // namespace rota::kmeans
