#include "apps/pagerank/power_iteration.h"

#include <array>
#include <tuple>

namespace rota::pagerank {

// A target's edges in a tile.
struct EdgeTiles::Row {
  std::uint32_t source_tile, target;
  bool weighted;  // some of them have another weight than 1
  std::uint32_t size;
  std::size_t begin;  // of InEdges::from
};

namespace {

// Calls place(i, e) for the e-th edge of row i of all edges of a tile, in the order of a step.
void for_each_place(const auto& rows, auto place) {
  constexpr std::size_t kLanes = EdgeTiles::kLanes;
  for (std::size_t i = 0; i < rows.size(); i += kLanes) {
    const std::size_t end = std::min(i + kLanes, rows.size());
    const std::uint32_t shared = end == i + kLanes ? rows[end - 1].size : 0;
    for (std::uint32_t e = 0; e < shared; ++e)
      for (std::size_t l = i; l < end; ++l) place(rows[l], e);
    for (std::size_t l = i; l < end; ++l)
      for (std::uint32_t e = shared; e < rows[l].size; ++e) place(rows[l], e);
  }
}

}  // namespace

EdgeTiles::EdgeTiles(const InEdges& edges) : edges_(edges.items()) {
  sources_.reserve(edges.from.size() + kAhead);
  const auto weighted = [&](std::size_t e) { return !edges.weights.empty() && edges.weights[e] != 1; };
  std::vector<Row> rows;
  std::size_t at = 0;  // of the next edge
  for (std::size_t first = 0; first < edges.sizes.size(); first += kTile) {
    rows.clear();
    for (std::size_t v = first; v < std::min<std::size_t>(first + kTile, edges.sizes.size()); ++v)
      for (const std::size_t end = at + edges.sizes[v]; at < end;) {
        Row row{edges.from[at] / kTile, static_cast<std::uint32_t>(v), false, 0, at};
        for (; at < end && edges.from[at] / kTile == row.source_tile; ++at, ++row.size) row.weighted |= weighted(at);
        rows.push_back(row);
      }
    std::ranges::sort(rows, [](const Row& a, const Row& b) {
      return std::tuple(a.source_tile, a.weighted, b.size, a.target) <
             std::tuple(b.source_tile, b.weighted, a.size, b.target);
    });
    for (auto begin = rows.begin(); begin != rows.end();) {
      const auto end = std::find_if(begin, rows.end(), [&](const Row& row) {
        return row.source_tile != begin->source_tile || row.weighted != begin->weighted;
      });
      add_tile({begin, end}, edges);
      begin = end;
    }
  }
  sources_.resize(sources_.size() + kAhead);
  targets_.shrink_to_fit();
  sizes_.shrink_to_fit();
}

void EdgeTiles::add_tile(std::span<const Row> rows, const InEdges& edges) {
  const std::uint32_t first_source = rows[0].source_tile * kTile, first_target = rows[0].target / kTile * kTile;
  for (const Row& row : rows) {
    targets_.push_back(static_cast<std::uint16_t>(row.target - first_target));
    sizes_.push_back(static_cast<std::uint16_t>(row.size));
  }
  const std::size_t before = sources_.size();
  for_each_place(rows, [&](const Row& row, std::uint32_t e) {
    sources_.push_back(static_cast<std::uint16_t>(edges.from[row.begin + e] - first_source));
    if (row.weighted) weights_.push_back(edges.weights[row.begin + e]);
  });
  tiles_.push_back({first_target, first_source, static_cast<std::uint32_t>(rows.size()),
                    static_cast<std::uint32_t>(sources_.size() - before), rows[0].weighted});
}

template <bool weighted, bool prefetched>
void EdgeTiles::add(const Tile& tile, const Position& at, const double* shares, double* sums) const {
  const std::uint16_t *const target = &targets_[at.row], *const size = &sizes_[at.row], *source = &sources_[at.edge];
  const double *const number = shares + tile.first_source, *weight = weights_.data() + at.weight;
  const auto prefetch = [number](const std::uint16_t* from) {
    if constexpr (prefetched) __builtin_prefetch(number + from[kAhead]);  // of another tile at the end: does no harm
  };
  std::uint32_t i = 0;
  for (; i + kLanes <= tile.rows; i += kLanes) {
    std::array<double, kLanes> sum;
    for (std::uint32_t l = 0; l < kLanes; ++l) sum[l] = sums[target[i + l]];
    const std::uint32_t shared = size[i + kLanes - 1];
    for (std::uint32_t e = 0; e < shared; ++e, source += kLanes, weight += weighted ? kLanes : 0)
      for (std::uint32_t l = 0; l < kLanes; ++l) {
        prefetch(source + l);
        sum[l] += (weighted ? weight[l] : 1) * number[source[l]];
      }
    if (size[i] > shared)
      for (std::uint32_t l = 0; l < kLanes; ++l)
        for (std::uint32_t e = shared; e < size[i + l]; ++e) {
          prefetch(source);
          sum[l] += (weighted ? *weight++ : 1) * number[*source++];
        }
    for (std::uint32_t l = 0; l < kLanes; ++l) sums[target[i + l]] = sum[l];
  }
  for (; i < tile.rows; ++i)
    for (std::uint32_t e = 0; e < size[i]; ++e) sums[target[i]] += (weighted ? *weight++ : 1) * number[*source++];
}

void EdgeTiles::step(std::span<const double> shares, double everywhere, double damping, std::span<double> next) const {
  const bool far = shares.size() > kNear;
  const auto of_ones = far ? &EdgeTiles::add<false, true> : &EdgeTiles::add<false, false>;
  const auto of_weights = far ? &EdgeTiles::add<true, true> : &EdgeTiles::add<true, false>;
  auto tile = tiles_.begin();
  Position at;
  for (std::size_t first = 0; first < next.size(); first += kTile) {
    const std::span<double> sums = next.subspan(first, std::min<std::size_t>(kTile, next.size() - first));
    for (; tile != tiles_.end() && tile->first_target == first; ++tile) {
      (this->*(tile->weighted ? of_weights : of_ones))(*tile, at, shares.data(), sums.data());
      at.row += tile->rows;
      at.edge += tile->edges;
      if (tile->weighted) at.weight += tile->edges;
    }
    for (double& rank : sums) rank = everywhere + damping * rank;
  }
}

}  // namespace rota::pagerank
