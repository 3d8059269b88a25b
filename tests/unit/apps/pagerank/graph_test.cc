#include "apps/pagerank/graph.h"

#include "rota/error.h"
#include "rota/random.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::pagerank {
namespace {

using tests::message_of;

// Of some shards, or of all.
LoadedGraph read(std::vector<std::string> files, std::uint32_t shards, std::vector<ShardId> hosted = {}) {
  Job job;
  job.input = std::move(files);
  job.shards = shards;
  if (hosted.empty()) {
    hosted.resize(shards);
    std::iota(hosted.begin(), hosted.end(), 0U);
  }
  return read_graph(job, {.expected = "two nodes", .words = true}, hosted);
}

using GraphTest = tests::WithFiles;

TEST_F(GraphTest, NodesAreNumberedAsTheyAreFirstNamed) {
  const LoadedGraph graph =
      read({files.write("a", "# from to\nß b\n\n b\tß  2.5\r\nß #tag\n"), files.write("b", "7 b")}, 1);
  EXPECT_EQ(graph.common.names, (std::vector<std::string>{"ß", "b", "#tag", "7"}));
  EXPECT_EQ(graph.common.out_weight, (std::vector<double>{2, 2.5, 0, 1}));
  const InEdges& edges = graph.hosted[0];
  EXPECT_EQ(edges.first, 0U);
  EXPECT_EQ(edges.targets, (std::vector<std::uint32_t>{1, 0, 2, 3}));
  EXPECT_EQ(edges.sizes, (std::vector<std::uint32_t>{2, 1, 1, 0}));
  EXPECT_EQ(edges.from, (std::vector<std::uint32_t>{0, 3, 1, 0}));
  EXPECT_EQ(edges.weights, (std::vector<double>{1, 1, 2.5, 1}));
}

TEST_F(GraphTest, RepeatedEdgesAddUpInTheOrderOfTheInput) {
  const LoadedGraph graph = read({files.write("g", "b a 0.1\na a\nb a 0.7\nb a 1e-17\n")}, 1);
  EXPECT_EQ(graph.common.out_weight, (std::vector<double>{0.1 + 0.7 + 1e-17, 1}));
  EXPECT_EQ(graph.hosted[0].from, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(graph.hosted[0].weights, (std::vector<double>{0.1 + 0.7 + 1e-17, 1}));
  EXPECT_TRUE(read({files.write("h", "a b 1\nb a\n")}, 1).hosted[0].weights.empty());
}

TEST_F(GraphTest, ShardsShareTheWorkAndTogetherHaveAllOfIt) {
  std::string text;
  for (int v = 0; v < 300; ++v)
    for (int e = 0; e < v % 7; ++e)
      text += std::to_string((v * 31 + e * 17) % 300) + " " + std::to_string(v) + " 0.5\n";
  const std::string file = files.write("g", text);
  // The sources of each node.
  const auto sources = [](const std::vector<InEdges>& parts) {
    std::map<std::size_t, std::vector<std::uint32_t>> all;
    for (const InEdges& part : parts) {
      EXPECT_TRUE(std::ranges::is_sorted(part.sizes, std::greater()));
      EXPECT_EQ(part.weights, std::vector<double>(part.from.size(), 0.5));
      for (std::size_t i = 0; i < part.targets.size(); ++i)
        EXPECT_TRUE(all.try_emplace(part.first + part.targets[i], part.sizes[i], ~0U).second);
      auto from = part.from.begin();
      InEdges::for_each_place(
          part.sizes, [&](std::size_t i, std::uint32_t e) { all.at(part.first + part.targets[i]).at(e) = *from++; });
      EXPECT_EQ(from, part.from.end());
    }
    return all;
  };
  const LoadedGraph whole = read({file}, 1);
  for (const std::uint32_t shards : {2U, 3U, 8U, 500U}) {
    const LoadedGraph graph = read({file}, shards);
    EXPECT_EQ(sources(graph.hosted), sources(whole.hosted));
    for (const InEdges& part : graph.hosted)
      EXPECT_NEAR(static_cast<double>(4 * part.targets.size() + part.from.size()),
                  static_cast<double>(4 * whole.common.out_weight.size() + whole.hosted[0].from.size()) / shards, 20);
    EXPECT_EQ(read({file}, shards, {1}).hosted[0].from, graph.hosted[1].from);
  }
}

TEST_F(GraphTest, TargetsAreSortedWithinBlocks) {
  std::string text;
  for (std::size_t v = 0; v < 2 * InEdges::kBlock + 10; ++v)
    for (std::size_t e = 0; e < v % 3; ++e) text += std::to_string(v / (e + 2)) + " " + std::to_string(v) + "\n";
  const InEdges edges = read({files.write("g", text)}, 1).hosted[0];
  ASSERT_GT(edges.targets.size(), InEdges::kBlock);
  for (std::size_t i = 0; i < edges.targets.size(); ++i) {
    EXPECT_EQ(edges.targets[i] / InEdges::kBlock, i / InEdges::kBlock);
    if (i % InEdges::kBlock > 0) {
      EXPECT_LE(edges.sizes[i], edges.sizes[i - 1]);
    }
  }
}

TEST_F(GraphTest, WhatIsWrongIsNamedByFileAndLine) {
  const auto message = [&](const std::string& text) {
    return message_of<DataError>([&] { (void)read({files.write("g", text)}, 1); });
  };
  EXPECT_NE(message("a b\na\n").find("/g:2: expected two nodes, found 'a'"), std::string::npos);
  EXPECT_NE(message("a b c\n").find("/g:1: expected a weight, found 'c'"), std::string::npos);
  for (const char* const weight : {"0", "-1", "nan", "inf", "1e999", "1e101", "1e-101"})
    EXPECT_NE(message(std::string("a b\n\na b ") + weight + "\n").find("/g:3: "), std::string::npos) << weight;
  EXPECT_NE(message("a b 1 2\n").find("found more: '2'"), std::string::npos);
  EXPECT_NE(message("a b\xff\n").find("/g:1: a node's name is not UTF-8"), std::string::npos);
  EXPECT_NE(message("# nothing\n").find("/g: the graph has no edges"), std::string::npos);
  EXPECT_THROW((void)read({"no-such-file"}, 1), NoInput);
}

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
    iteration.step(part, iteration.shares(version, ranks), std::span(next).subspan(part.first, part.targets.size()));
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

// Ranks are summed side by side and in another order, but each in the order of its edges.
TEST(Ranks, EachIsSummedInTheOrderOfItsEdges) {
  Random random({5, 6, 7, 8});
  for (const std::uint32_t nodes : {1U, 3U, 4U, 5U, 50U})
    for (const bool weighted : {false, true}) {
      std::vector<double> out_weight(nodes), ranks(nodes), next(nodes);
      for (double& w : out_weight) w = random.below(4) == 0 ? 0 : 1 + random.uniform();
      for (double& r : ranks) r = std::ldexp(random.uniform(), static_cast<int>(random.below(60)));
      InEdges edges;
      for (std::uint32_t row = 0; row < nodes; ++row) {
        edges.targets.push_back(nodes - 1 - row);  // in any order of the nodes
        edges.sizes.push_back((nodes - row) / 2);
      }
      // For each target its sources and weights.
      std::vector<std::vector<std::pair<std::uint32_t, double>>> sources(nodes);
      for (std::uint32_t row = 0; row < nodes; ++row)
        for (std::uint32_t e = 0; e < edges.sizes[row]; ++e)
          sources[row].emplace_back(static_cast<std::uint32_t>(random.below(nodes)), weighted ? random.uniform() : 1);
      InEdges::for_each_place(edges.sizes, [&](std::size_t i, std::uint32_t e) {
        edges.from.push_back(sources[i][e].first);
        if (weighted) edges.weights.push_back(sources[i][e].second);
      });
      PowerIteration iteration(out_weight, 0.85);
      const Shares& shares = iteration.shares(1, ranks);
      iteration.step(edges, shares, next);
      const double everywhere = (1 - 0.85) / nodes + 0.85 * shares.dangling / nodes;
      for (std::size_t i = 0; i < edges.sizes.size(); ++i) {
        double sum = 0;
        for (const auto& [from, weight] : sources[i]) sum += weight * shares.numbers[from];
        ASSERT_EQ(next[edges.targets[i]], everywhere + 0.85 * sum) << i << " of " << nodes;
      }
    }
}

}  // namespace
}  // namespace rota::pagerank
