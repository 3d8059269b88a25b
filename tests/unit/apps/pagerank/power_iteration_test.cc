#include "apps/pagerank/power_iteration.h"

#include "rota/random.h"
#include "tests/unit/apps/pagerank/read.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::pagerank {
namespace {

using Edges = std::map<std::pair<std::string, std::string>, double>;

// Some weights, repeated edges, edges to oneself, dangling nodes and nodes without edges in.
std::string graph_text(Edges& edges) {
  Random random({1, 2, 3, 4});
  std::string text;
  for (int e = 0; e < 200; ++e) {
    const std::string from = std::to_string(random.below(60)), to = std::to_string(random.below(40) + 20);
    const double weight = e % 4 + 0.5;
    text += from + " " + to + " " + std::to_string(weight) + "\n";
    edges[{from, to}] += weight;
  }
  return text;
}

LoadedGraph graph_of(const std::string& text, std::uint32_t shards) {
  const tests::ScratchFiles files;
  return read({files.write("g", text)}, shards);
}

// The next ranks of all nodes, from those of this version.
std::vector<double> step(const LoadedGraph& graph, PowerIteration& iteration, std::uint64_t version,
                         const std::vector<double>& ranks) {
  std::vector<double> next(ranks.size());
  for (const InEdges& part : graph.hosted)
    iteration.step(EdgeTiles(part), iteration.shares(version, ranks),
                   std::span(next).subspan(part.first, part.sizes.size()));
  return next;
}

TEST(Ranks, AreTheFixedPointOfTheFormula) {
  Edges edges;
  const LoadedGraph graph = graph_of(graph_text(edges), 3);
  constexpr double d = 0.85;
  const std::size_t nodes = graph.common.out_weight.size();
  const auto n = static_cast<double>(nodes);
  std::map<std::string, std::size_t> number;
  for (std::size_t v = 0; v < nodes; ++v) number[graph.common.names[v]] = v;
  std::vector<double> plain(nodes, 1 / n), out_weight(nodes), ranks = plain;
  for (const auto& [edge, weight] : edges) out_weight[number[edge.first]] += weight;
  EXPECT_GT(std::count(out_weight.begin(), out_weight.end(), 0.0), 0);

  PowerIteration iteration(graph.common.out_weight, d);
  for (std::uint64_t version = 0; version < 200; ++version) {
    const std::vector<double> next = step(graph, iteration, version, ranks);
    double dangling = 0;
    for (std::size_t u = 0; u < plain.size(); ++u) dangling += out_weight[u] == 0 ? plain[u] : 0;
    std::vector<double> expected(nodes, (1 - d) / n + d * dangling / n);
    for (const auto& [edge, weight] : edges) {
      const std::size_t u = number[edge.first];
      expected[number[edge.second]] += d * plain[u] * weight / out_weight[u];
    }
    for (std::size_t v = 0; v < plain.size(); ++v) ASSERT_NEAR(next[v], expected[v], 1e-15);
    ranks = next;
    plain = expected;
  }
  EXPECT_NEAR(std::accumulate(ranks.begin(), ranks.end(), 0.0), 1, 1e-13);
}

TEST(Ranks, ThoseOfDanglingNodesGoToAll) {
  // a -> b, and b is dangling: by hand, a = (1 - d) / 2 + d b / 2 and b = a + d a.
  const LoadedGraph graph = graph_of("a b\n", 1);
  constexpr double d = 0.85;
  PowerIteration iteration(graph.common.out_weight, d);
  std::vector<double> ranks(2, 0.5);
  for (std::uint64_t version = 0; version < 300; ++version) ranks = step(graph, iteration, version, ranks);
  EXPECT_NEAR(ranks[0], 1 / (2 + d), 1e-15);
  EXPECT_NEAR(ranks[1], (1 + d) / (2 + d), 1e-15);
}

// Of one shard with all nodes: node v has sizes(v) edges, from sources that `random` draws, and a share of them has
// other weights than 1.
InEdges edges_into(std::uint32_t nodes, double weighted, Random& random, auto sizes) {
  InEdges edges;
  for (std::uint32_t v = 0; v < nodes; ++v) {
    std::set<std::uint32_t> from;
    for (std::uint64_t e = sizes(v); e > 0; --e) from.insert(static_cast<std::uint32_t>(random.below(nodes)));
    edges.sizes.push_back(static_cast<std::uint32_t>(from.size()));
    edges.from.insert(edges.from.end(), from.begin(), from.end());
  }
  if (weighted > 0)
    for (std::size_t e = 0; e < edges.from.size(); ++e)
      edges.weights.push_back(random.uniform() < weighted ? random.uniform() : 1);
  return edges;
}

// They are summed side by side and by tiles, but each in the order of its edges.
TEST(Ranks, EachIsSummedInTheOrderOfItsEdges) {
  Random random({5, 6, 7, 8});
  for (const std::size_t nodes : {std::size_t{1}, std::size_t{7}, std::size_t{50}, EdgeTiles::kTile + std::size_t{1},
                                  EdgeTiles::kNear + std::size_t{3}})
    for (const double weighted : {0.0, 0.1, 1.0}) {
      std::vector<double> out_weight(nodes), ranks(nodes), next(nodes);
      for (double& w : out_weight) w = random.below(4) == 0 ? 0 : 1 + random.uniform();
      for (double& r : ranks) r = std::ldexp(random.uniform(), static_cast<int>(random.below(60)));
      // A tile's targets have from no edge to all of its sources.
      const InEdges edges = edges_into(static_cast<std::uint32_t>(nodes), weighted, random,
                                       [&](std::uint32_t v) { return v == nodes / 2 ? 8 * nodes : v % 5; });
      PowerIteration iteration(out_weight, 0.85);
      const Shares& shares = iteration.shares(1, ranks);
      iteration.step(EdgeTiles(edges), shares, next);
      const auto n = static_cast<double>(nodes);
      const double everywhere = (1 - 0.85) / n + 0.85 * shares.dangling / n;
      std::size_t e = 0;
      for (std::size_t v = 0; v < nodes; ++v) {
        double sum = 0;
        for (const std::size_t end = e + edges.sizes[v]; e < end; ++e)
          sum += (weighted > 0 ? edges.weights[e] : 1) * shares.numbers[edges.from[e]];
        ASSERT_EQ(next[v], everywhere + 0.85 * sum) << v << " of " << nodes;
      }
    }
}

TEST(Ranks, ThoseOfDanglingNodesAddUpAlikeWithAndWithoutSharesOfAll) {
  Random random({9, 6, 7, 8});
  std::vector<double> out_weight(50'000), ranks(50'000);
  for (double& w : out_weight) w = static_cast<double>(random.below(2));
  for (double& r : ranks) r = random.uniform();
  PowerIteration all(out_weight, 0.85), few(out_weight, 0.85, false);
  double sum = 0;
  for (std::size_t u = 0; u < ranks.size(); ++u) sum += out_weight[u] == 0 ? ranks[u] : 0;
  EXPECT_EQ(all.shares(1, ranks).dangling, few.dangling(1, ranks));
  EXPECT_NEAR(few.dangling(1, ranks), sum, 1e-12 * sum);
}

}  // namespace
}  // namespace rota::pagerank
