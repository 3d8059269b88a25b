#include "apps/pagerank/graph.h"

#include "rota/error.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::pagerank {
namespace {

using tests::message_of;

std::vector<ShardId> all(std::uint32_t shards) {
  std::vector<ShardId> hosted(shards);
  std::iota(hosted.begin(), hosted.end(), 0U);
  return hosted;
}

std::vector<std::string> names_of(const Graph& graph) {
  std::vector<std::string> names;
  Reader in(graph.names.view());
  for (std::uint64_t v = 0; v < graph.nodes; ++v) names.push_back(in.get_text());
  EXPECT_TRUE(in.done());
  return names;
}

using GraphTest = tests::WithFiles;

TEST_F(GraphTest, NodesAreNumberedAsTheyAreFirstNamed) {
  const Graph graph =
      read_graph({files.write("a", "# from to\nß b\n\n b\tß  2.5\r\nß #tag\n"), files.write("b", "7 b")}, 1, all(1));
  EXPECT_EQ(names_of(graph), (std::vector<std::string>{"ß", "b", "#tag", "7"}));
  EXPECT_EQ(graph.edges, 4U);
  EXPECT_EQ(graph.out_weight, (std::vector<double>{2, 2.5, 0, 1}));
  const InEdges& edges = graph.hosted[0];
  EXPECT_EQ(edges.first, 0U);
  EXPECT_EQ(edges.ends, (std::vector<std::size_t>{1, 3, 4, 4}));
  EXPECT_EQ(edges.from, (std::vector<std::uint32_t>{1, 0, 3, 0}));
  EXPECT_EQ(edges.weights, (std::vector<double>{2.5, 1, 1, 1}));
}

TEST_F(GraphTest, RepeatedEdgesAddUpInTheOrderOfTheInput) {
  const Graph graph = read_graph({files.write("g", "b a 0.1\na a\nb a 0.7\nb a 1e-17\n")}, 1, all(1));
  EXPECT_EQ(graph.out_weight, (std::vector<double>{0.1 + 0.7 + 1e-17, 1}));
  EXPECT_EQ(graph.hosted[0].from, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(graph.hosted[0].weights, (std::vector<double>{0.1 + 0.7 + 1e-17, 1}));
  const Graph plain = read_graph({files.write("h", "a b 1\nb a\n")}, 1, all(1));
  EXPECT_TRUE(plain.hosted[0].weights.empty());
}

TEST_F(GraphTest, ShardsShareTheWorkAndTogetherHaveAllOfIt) {
  std::string text;
  for (int v = 0; v < 300; ++v)
    for (int e = 0; e < v % 7; ++e)
      text += std::to_string((v * 31 + e * 17) % 300) + " " + std::to_string(v) + " 0.5\n";
  const std::string file = files.write("g", text);
  const Graph whole = read_graph({file}, 1, all(1));
  for (const std::uint32_t shards : {2U, 3U, 8U, 500U}) {
    const Graph graph = read_graph({file}, shards, all(shards));
    std::size_t nodes = 0, edges = 0, begin = 0;
    for (const InEdges& part : graph.hosted) {
      EXPECT_EQ(part.first, nodes);
      for (std::size_t e = 0; e < part.from.size(); ++e) {
        EXPECT_EQ(part.from[e], whole.hosted[0].from[begin + e]);
        EXPECT_EQ(part.weights[e], whole.hosted[0].weights[begin + e]);
      }
      EXPECT_NEAR(static_cast<double>(4 * part.nodes() + part.from.size()),
                  static_cast<double>(4 * graph.nodes + whole.hosted[0].from.size()) / shards, 20);
      nodes += part.nodes();
      edges += part.from.size();
      begin = edges;
    }
    EXPECT_EQ(nodes, graph.nodes);
    EXPECT_EQ(edges, whole.hosted[0].from.size());
    const ShardId some[] = {1};
    EXPECT_EQ(read_graph({file}, shards, some).hosted[0].from, graph.hosted[1].from);
  }
}

TEST_F(GraphTest, WhatIsWrongIsNamedByFileAndLine) {
  const auto message = [&](const std::string& text) {
    return message_of<DataError>([&] { (void)read_graph({files.write("g", text)}, 1, all(1)); });
  };
  EXPECT_NE(message("a b\na\n").find("/g:2: expected two nodes, found one: 'a'"), std::string::npos);
  EXPECT_NE(message("a b c\n").find("/g:1: expected a weight, found 'c'"), std::string::npos);
  for (const char* const weight : {"0", "-1", "nan", "inf", "1e999", "1e101", "1e-101"})
    EXPECT_NE(message(std::string("a b\n\na b ") + weight + "\n").find("/g:3: "), std::string::npos) << weight;
  EXPECT_NE(message("a b 1 2\n").find("found more: '2'"), std::string::npos);
  EXPECT_NE(message("a b\xff\n").find("/g:1: a node's name is not UTF-8"), std::string::npos);
  EXPECT_NE(message("# nothing\n").find("/g: the graph has no edges"), std::string::npos);
  EXPECT_THROW((void)read_graph({"no-such-file"}, 1, all(1)), NoInput);
}

}  // namespace
}  // namespace rota::pagerank
