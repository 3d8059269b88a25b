#include "apps/kmeans/talk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace rota::kmeans {

Talk Talk::combined(std::span<const Bytes> notes) {
  Talk all;
  for (ShardId shard = 0; shard < notes.size(); ++shard) {
    Talk note = read_fields<Talk>(notes[shard]);
    all.wanted = std::max(all.wanted, note.wanted);
    all.moved += note.moved;
    all.inertia += note.inertia;
    all.potentials.resize(std::max(all.potentials.size(), note.potentials.size()));
    for (std::size_t i = 0; i < note.potentials.size(); ++i) all.potentials[i] += note.potentials[i];
    for (Candidate& each : note.candidates) {
      each.shard = shard;
      all.candidates.push_back(std::move(each));
    }
  }
  std::sort(all.candidates.begin(), all.candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.key, a.shard, a.row) < std::tie(b.key, b.shard, b.row);
  });
  if (all.candidates.size() > all.wanted) all.candidates.resize(all.wanted);
  return all;
}

double draw_key(double u, double weight) {
  return weight > 0 ? -std::log1p(-u) / weight : std::numeric_limits<double>::infinity();
}

}  // namespace rota::kmeans
