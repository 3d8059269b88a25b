#include "apps/kmeans/talk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace rota::kmeans {

void Talk::encode(Writer& out) const {
  out.put_varint(wanted);
  out.put_varint(moved);
  out.put(inertia);
  out.put_varint(candidates.size());
  for (const Candidate& each : candidates) {
    out.put(each.key);
    out.put_varint(each.shard);
    out.put_varint(each.row);
    out.put_all(std::span<const std::uint32_t>(each.columns));
    out.put_all(std::span<const double>(each.values));
  }
}

Talk Talk::decode(const Bytes& bytes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  Reader in(bytes.view());
  Talk talk;
  talk.wanted = in.get_bounded<std::uint32_t>(kMost);
  talk.moved = in.get_varint();
  talk.inertia = in.get<double>();
  talk.candidates.resize(in.get_count(sizeof(double)));
  for (Candidate& each : talk.candidates) {
    each.key = in.get<double>();
    each.shard = in.get_bounded<ShardId>(kMost);
    each.row = in.get_bounded<std::uint32_t>(kMost);
    each.columns = in.get_all<std::uint32_t>();
    each.values = in.get_all<double>();
    if (each.columns.size() != each.values.size()) in.fail();
  }
  if (!in.done()) throw std::runtime_error("what a shard or pull said of the clusters came damaged");
  return talk;
}

Talk Talk::combined(std::span<const Bytes> notes) {
  Talk all;
  for (ShardId shard = 0; shard < notes.size(); ++shard) {
    Talk note = decode(notes[shard]);
    all.wanted = std::max(all.wanted, note.wanted);
    all.moved += note.moved;
    all.inertia += note.inertia;
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
