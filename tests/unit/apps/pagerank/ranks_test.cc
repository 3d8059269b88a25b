#include "apps/pagerank/ranks.h"

#include "rota/random.h"
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

std::map<std::string, std::size_t> numbers_of(const Graph& graph) {
  std::map<std::string, std::size_t> numbers;
  Reader in(graph.names);
  for (std::size_t v = 0; v < graph.out_weight.size(); ++v) numbers[in.get_text()] = v;
  return numbers;
}

LoadedGraph graph_of(const std::string& text, std::uint32_t shards) {
  const tests::ScratchFiles files;
  Job job;
  job.input = {files.write("g", text)};
  job.shards = shards;
  std::vector<ShardId> all(shards);
  std::iota(all.begin(), all.end(), 0U);
  return read_graph(job, {}, all);
}

TEST(Ranks, AreTheFixedPointOfTheFormula) {
  Edges edges;
  const LoadedGraph graph = graph_of(graph_text(edges), 3);
  constexpr double d = 0.85;
  const std::size_t nodes = graph.common.out_weight.size();
  const auto n = static_cast<double>(nodes);
  auto number = numbers_of(graph.common);
  std::vector<double> plain(nodes, 1 / n), out_weight(nodes), ranks(nodes);
  for (const auto& [edge, weight] : edges) out_weight[number[edge.first]] += weight;
  EXPECT_GT(std::count(out_weight.begin(), out_weight.end(), 0.0), 0);

  SharedShares shared(graph.common.out_weight, d);
  std::vector<StepEdges> shards;
  for (const InEdges& part : graph.hosted) shards.emplace_back(part, shared.numbers());
  for (std::uint64_t version = 0; version < 200; ++version) {
    Shares& shares = shared.of(version, ranks);
    std::vector<double> next(nodes);
    double change = 0, dangling = 0, moved = 0;
    for (const StepEdges& part : shards) {
      const std::span<double> own = std::span(next).subspan(part.first(), part.nodes());
      part.step(shares, own);
      change += part.change(shares, ranks, own);
    }
    for (std::size_t u = 0; u < plain.size(); ++u) dangling += out_weight[u] == 0 ? plain[u] : 0;
    std::vector<double> expected(nodes, (1 - d) / n + d * dangling / n);
    for (const auto& [edge, weight] : edges) {
      const std::size_t u = number[edge.first];
      expected[number[edge.second]] += d * plain[u] * weight / out_weight[u];
    }
    for (std::size_t v = 0; v < plain.size(); ++v) {
      ASSERT_NEAR(next[v], expected[v], 1e-15);
      moved += std::abs(expected[v] - plain[v]);
    }
    ASSERT_NEAR(change, moved, 1e-14);
    ranks = next;
    plain = expected;
  }
  EXPECT_NEAR(std::accumulate(ranks.begin(), ranks.end(), 0.0), 1, 1e-13);
}

TEST(Ranks, ThoseOfDanglingNodesGoToAll) {
  // a -> b, and b is dangling: by hand, a = (1 - d) / 2 + d b / 2 and b = a + d a.
  const LoadedGraph graph = graph_of("a b\n", 1);
  constexpr double d = 0.85;
  SharedShares shared(graph.common.out_weight, d);
  const StepEdges edges(graph.hosted[0], shared.numbers());
  std::vector<double> ranks(2);
  for (std::uint64_t version = 0; version < 300; ++version) {
    std::vector<double> next(2);
    edges.step(shared.of(version, ranks), next);
    ranks = next;
  }
  EXPECT_NEAR(ranks[0], 1 / (2 + d), 1e-15);
  EXPECT_NEAR(ranks[1], (1 + d) / (2 + d), 1e-15);
}

// Rows are summed in parallel and in another order, but each in the order of its edges.
TEST(Ranks, EachRowIsSummedInTheOrderOfItsEdges) {
  Random random({5, 6, 7, 8});
  for (const std::uint32_t nodes : {1U, 3U, 4U, 5U, 50U}) {
    std::vector<double> out_weight(nodes), ranks(nodes);
    for (double& w : out_weight) w = random.below(4) == 0 ? 0 : 1 + random.uniform();
    for (double& r : ranks) r = std::ldexp(random.uniform(), static_cast<int>(random.below(60)));
    InEdges edges;
    for (std::uint32_t row = 0; row < nodes; ++row) {
      edges.targets.push_back(nodes - 1 - row);  // in any order of the nodes
      edges.sizes.push_back((nodes - row) / 2);
      for (std::uint32_t u = 0; u < edges.sizes.back(); ++u) {
        edges.from.push_back(static_cast<std::uint32_t>(random.below(nodes)));
        edges.weights.push_back(random.below(3) == 0 ? random.uniform() : 1);
      }
    }
    SharedShares shared(out_weight, 0.85);
    shared.numbers().resize(shared.numbers().size() + 7);  // another shard's
    const StepEdges step(edges, shared.numbers());
    EXPECT_EQ(step.edges(), edges.from.size());
    Shares& shares = shared.of(1, ranks);
    std::vector<double> next(nodes);
    step.step(shares, next);
    for (std::size_t i = 0, e = 0; i < edges.sizes.size(); ++i) {
      double sum = 0;
      for (const std::size_t begin = e; e < begin + edges.sizes[i]; ++e) {
        const std::uint32_t u = edges.from[e];
        sum += edges.weights[e] * (out_weight[u] > 0 ? ranks[u] / out_weight[u] : 0);
      }
      ASSERT_EQ(next[edges.targets[i]], shares.everywhere + 0.85 * sum) << i << " of " << nodes;
    }
  }
}

}  // namespace
}  // namespace rota::pagerank
