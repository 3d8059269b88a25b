// apps/pagerank/commands/generate.h -- rota generate pagerank: graphs like that of the web.
//
// Both ends of every edge are drawn independently, with replacement: the target in proportion to (i + 1)^-a over the
// nodes i, the source in the same way with another exponent, and another order of the nodes.  A node's expected degree
// then has a power-law tail with exponent 1 + 1 / a: 2.1 for the edges in and 2.72 for the edges out, as measured for
// the web (Broder et al., "Graph structure in the web", Computer Networks 2000).  Nodes are named by their numbers;
// nodes without any edge are not in the graph, and those without edges out are dangling.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <span>

#include "rota/plugin.h"

namespace rota::pagerank {

struct GraphShape {
  std::uint64_t nodes = 100'000;
  std::uint64_t edges = 1'000'000;
  double in_exponent = 2.1;    // above 2
  double out_exponent = 2.72;  // above 2
  std::uint64_t seed = 1;
};

// Equal shapes give equal bytes.
void generate_graph(const GraphShape& shape, std::ostream& out);

std::span<const Option> generate_options();
void generate(const Call& call, std::ostream& out);

}  // namespace rota::pagerank
