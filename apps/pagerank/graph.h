// apps/pagerank/graph.h -- the data: a directed graph with weights.
//
// An entry is an edge: from, to, weight.  A weight is 1 if it is missing; repeated edges add up.  Nodes are numbered in
// the order of their first occurrence in the files.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "rota/io/entry_reader.h"
#include "rota/packed_app.h"

namespace rota::pagerank {

// What all shards know.
struct Graph {
  std::vector<std::string> names;   // of the nodes
  std::vector<double> out_weight;   // of each node: of its edges out, summed in the order of the input
  std::vector<std::uint64_t> cuts;  // the first node of every shard, and at the end the number of nodes

  void fields(auto& list) {
    list(names, out_weight, cuts);
    list.check(!names.empty() && names.size() == out_weight.size() && !cuts.empty() && std::ranges::is_sorted(cuts) &&
               cuts.front() == 0 && cuts.back() == names.size());
  }
};

// One shard's: the edges into a range of nodes.
struct InEdges {
  std::uint32_t first = 0;           // node of the range
  std::vector<std::uint32_t> sizes;  // how many edges each node of the range has
  std::vector<std::uint32_t> from;   // theirs, node after node: ascending for a node, each once
  std::vector<double> weights;       // empty if all are 1

  std::uint64_t items() const { return from.size(); }
  void fields(auto& list) {
    list(first, sizes, from, weights);
    list.check(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}) == from.size() &&
               (weights.empty() || weights.size() == from.size()) && ascend());
  }
  bool fits(const Graph& graph, const Job& job, ShardId shard) const {
    return graph.cuts.size() == job.shards + std::size_t{1} && first == graph.cuts[shard] &&
           first + sizes.size() == graph.cuts[shard + std::size_t{1}] &&
           std::ranges::all_of(from, [&](std::uint32_t u) { return u < graph.names.size(); });
  }

 private:
  bool ascend() const {
    auto begin = from.begin();
    for (const std::uint32_t size : sizes) {
      const auto end = begin + size;
      if (std::adjacent_find(begin, end, std::greater_equal()) != end) return false;
      begin = end;
    }
    return true;
  }
};

using LoadedGraph = PackedApp<Graph, InEdges>::Loaded;

// The ranges of the shards have about equal work (edges, and a constant for each node): a rule of the data and of the
// number of shards alone.  Throws NoInput, or DataError with file and line.
LoadedGraph read_graph(const Job& job, const io::EntryForm& form, std::span<const ShardId> hosted);

}  // namespace rota::pagerank
