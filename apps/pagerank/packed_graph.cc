#include "apps/pagerank/packed_graph.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "rota/io/vocabulary.h"

namespace rota::pagerank {
namespace {

struct Common {
  Graph graph;
  std::vector<std::uint32_t> cuts;  // the first node of every shard, and at the end the number of nodes
};

bool is_weight(double weight) {
  return weight > 0 && std::isfinite(weight);
}

Common unpack_common(Reader& in, std::uint32_t shards) {
  Common common;
  Graph& graph = common.graph;
  graph.nodes = in.get_bounded(io::kMostWords);
  graph.edges = in.get_varint();
  common.cuts.resize(shards + std::size_t{1});
  for (std::uint32_t& cut : common.cuts) cut = in.get_bounded<std::uint32_t>(graph.nodes);
  if (common.cuts.front() != 0 || common.cuts.back() != graph.nodes ||
      !std::is_sorted(common.cuts.begin(), common.cuts.end()))
    in.fail();
  graph.out_weight = in.get_all<double>();
  if (graph.nodes == 0 || graph.out_weight.size() != graph.nodes) in.fail();
  for (const double weight : graph.out_weight)
    if (weight != 0 && !is_weight(weight)) in.fail();
  const auto names = in.get_bytes(in.get_count(1));
  graph.names = Bytes::from({names.begin(), names.end()});
  Reader list(names);
  for (std::uint64_t v = 0; v < graph.nodes && list.ok(); ++v) list.get_bytes(list.get_count(1));
  if (!list.done()) in.fail();
  return common;
}

// Checks the edges to a node: ascending, from nodes with a weight of edges out.
bool are_edges(std::span<const std::uint32_t> from, const std::vector<double>& out_weight) {
  for (std::size_t e = 0; e < from.size(); ++e)
    if (from[e] >= out_weight.size() || out_weight[from[e]] == 0 || (e > 0 && from[e] <= from[e - 1])) return false;
  return true;
}

InEdges unpack_edges(Reader& in, const Common& common, ShardId shard) {
  InEdges out;
  out.first = common.cuts[shard];
  std::size_t all = 0;
  const std::uint32_t nodes = common.cuts[shard + 1] - out.first;
  for (std::uint32_t v = 0; v < nodes && in.ok(); ++v)
    out.ends.push_back(all += in.get_bounded<std::size_t>(common.graph.nodes));
  out.from = in.get_all<std::uint32_t>();
  out.weights = in.get_all<double>();
  if (out.from.size() != all || (!out.weights.empty() && out.weights.size() != all)) in.fail();
  if (!std::all_of(out.weights.begin(), out.weights.end(), is_weight)) in.fail();
  std::size_t begin = 0;
  for (const std::size_t end : out.ends) {
    if (!in.ok()) break;
    if (!are_edges(std::span(out.from).subspan(begin, end - begin), common.graph.out_weight)) in.fail();
    begin = end;
  }
  return out;
}

}  // namespace

void pack_graph(const Graph& graph, DataPacker& out) {
  Writer common;
  common.put_varint(graph.nodes);
  common.put_varint(graph.edges);
  for (const InEdges& edges : graph.hosted) common.put_varint(edges.first);
  common.put_varint(graph.nodes);
  common.put_all(std::span<const double>(graph.out_weight));
  common.put_all(graph.names.view());
  out.common(common.view());
  for (ShardId shard = 0; shard < graph.hosted.size(); ++shard) {
    const InEdges& edges = graph.hosted[shard];
    Writer packed;
    std::size_t begin = 0;
    for (const std::size_t end : edges.ends) packed.put_varint(end - std::exchange(begin, end));
    packed.put_all(std::span<const std::uint32_t>(edges.from));
    packed.put_all(std::span<const double>(edges.weights));
    out.shard(shard, edges.from.size(), packed.view());
  }
}

Graph unpack_graph(const PackedData& packed, std::uint32_t shards, std::span<const ShardId> hosted) {
  Common common = packed.common([&](Reader& in) { return unpack_common(in, shards); });
  for (const ShardId shard : hosted)
    common.graph.hosted.push_back(packed.shard(shard, [&](Reader& in) { return unpack_edges(in, common, shard); }));
  return std::move(common.graph);
}

}  // namespace rota::pagerank
