// apps/kmeans/pull.cc -- the third step: sums of all shards, and which drawn rows become centres.
#include <algorithm>
#include <span>
#include <utility>

#include "apps/kmeans/hooks.h"
#include "rota/fields.h"

namespace rota::kmeans {
namespace {

class KmeansPull final : public Pull {
 public:
  explicit KmeansPull(std::uint32_t clusters) : clusters_(clusters) {}

  void pull(const PullTask& task) override {
    const auto purpose = task.argument.as<Purpose>();
    if (task.table == kSums) purpose.step == Step::change ? AddPull().pull(task) : AssignPull().pull(task);
    if (task.notes.empty()) return;  // another partition has them
    Note all = combined(task.notes);
    if (purpose.step == Step::draw) {
      if (all.candidates.size() > purpose.rows) all.candidates.resize(purpose.rows);
      drawn_ = all.candidates;
    }
    if (purpose.step == Step::choose) {
      all.chosen = static_cast<std::uint32_t>(std::ranges::min_element(all.potentials) - all.potentials.begin());
      chosen_.push_back(drawn_.at(all.chosen));
      if (chosen_.size() == clusters_) all.candidates = std::exchange(chosen_, {});
    }
    write_fields(task.reply, all);
  }

 private:
  // Sums in the order of the shards, and the candidates, the smallest key first; of equal ones that of the first shard,
  // and of its first row.
  static Note combined(std::span<const Bytes> notes) {
    Note all;
    for (ShardId shard = 0; shard < notes.size(); ++shard) {
      auto note = read_fields<Note>(notes[shard]);
      all.moved += note.moved;
      all.inertia += note.inertia;
      all.largest = std::max(all.largest, note.largest);
      all.least = note.least;
      all.changes.insert(all.changes.end(), note.changes.begin(), note.changes.end());
      all.potentials.resize(note.potentials.size());
      for (std::size_t i = 0; i < note.potentials.size(); ++i) all.potentials[i] += note.potentials[i];
      for (Candidate& each : note.candidates) {
        each.shard = shard;
        all.candidates.push_back(std::move(each));
      }
    }
    std::ranges::sort(all.changes, {}, &Change::cluster);
    std::size_t distinct = 0;
    for (const Change& each : all.changes) {
      if (distinct > 0 && all.changes[distinct - 1].cluster == each.cluster)
        all.changes[distinct - 1].gained += each.gained;
      else
        all.changes[distinct++] = each;
    }
    all.changes.resize(distinct);
    std::ranges::stable_sort(all.candidates, {}, &Candidate::key);
    return all;
  }

  std::uint32_t clusters_;
  std::vector<Candidate> drawn_, chosen_;  // of a start: the rows drawn last, and the centres so far
};

}  // namespace

std::unique_ptr<Pull> kmeans_pull(std::uint32_t clusters) {
  return std::make_unique<KmeansPull>(clusters);
}

}  // namespace rota::kmeans
