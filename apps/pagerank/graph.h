// apps/pagerank/graph.h -- the data: a directed graph with weights, as text.
//
//   from to [weight]
//
// one edge a line, fields between blanks; a node is any text (UTF-8) without white space.  A weight is 1 if it is
// missing; repeated edges add up.  Lines that begin with # and empty lines are skipped.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rota/bytes.h"
#include "rota/types.h"

namespace rota::pagerank {

// The edges into the nodes [first, first + nodes()), by target.
struct InEdges {
  std::uint32_t first = 0;
  std::vector<std::size_t> ends;    // of node first + i: edges [ends[i - 1], ends[i]), from 0 for i = 0
  std::vector<std::uint32_t> from;  // ascending for a target, each once
  std::vector<double> weights;      // empty if all are 1

  std::size_t nodes() const { return ends.size(); }
};

struct Graph {
  std::uint64_t nodes = 0, edges = 0;  // edges as written
  std::vector<double> out_weight;      // of each node, the sum in the order of the input
  Bytes names;                         // of all nodes: each a put_text() of Writer
  std::vector<InEdges> hosted;         // in the order asked for
};

// Nodes are numbered in the order of their first occurrence in the files.  A shard has a range of nodes as targets, of
// about equal work (edges, and a constant for each node): a rule of the data and of the number of shards alone.  Throws
// NoInput, or DataError with file and line.
Graph read_graph(const std::vector<std::string>& files, std::uint32_t shards, std::span<const ShardId> hosted);

}  // namespace rota::pagerank
