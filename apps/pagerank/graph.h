// apps/pagerank/graph.h -- the data: a directed graph with weights.
//
// An entry is an edge: from, to, weight.  A weight is 1 if it is missing; repeated edges add up.  Nodes are numbered in
// the order of their first occurrence in the files.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rota/io/entry_reader.h"
#include "rota/packed_app.h"

namespace rota::pagerank {

// What all shards know.
struct Graph {
  std::vector<double> out_weight;   // of each node: of its edges out, summed in the order of the input
  std::vector<std::uint64_t> cuts;  // the first node of every shard, and at the end the number of nodes
  std::vector<std::byte> names;     // of all nodes: each a put_text() of Writer

  void fields(auto& list) {
    list(out_weight, cuts, names);
    list.check(is_valid());
  }
  bool is_valid() const;
};

// One shard's: the edges into a range of nodes, target after target, those with most edges first.
struct InEdges {
  std::uint32_t first = 0;  // node of the range
  std::vector<std::uint32_t> targets,
      sizes;                        // all nodes of the range, counted from `first`, and their numbers of edges
  std::vector<std::uint32_t> from;  // ascending for a target, each once
  std::vector<double> weights;      // empty if all are 1

  std::uint64_t items() const { return from.size(); }
  void fields(auto& list) { list(first, targets, sizes, from, weights); }
  bool fits(const Graph& graph, const Job& job, ShardId shard) const;
};

using LoadedGraph = PackedApp<Graph, InEdges>::Loaded;

// The ranges of the shards have about equal work (edges, and a constant for each node): a rule of the data and of the
// number of shards alone.  Throws NoInput, or DataError with file and line.
LoadedGraph read_graph(const Job& job, const io::EntryForm& form, std::span<const ShardId> hosted);

}  // namespace rota::pagerank
