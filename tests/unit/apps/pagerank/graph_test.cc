#include "apps/pagerank/graph.h"

#include "rota/error.h"
#include "tests/unit/apps/pagerank/read.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::pagerank {
namespace {

using tests::message_of;

using GraphTest = tests::WithFiles;

TEST_F(GraphTest, NodesAreNumberedAsTheyAreFirstNamed) {
  const LoadedGraph graph =
      read({files.write("a", "# from to\nß b\n\n b\tß  2.5\r\nß #tag\n"), files.write("b", "7 b")}, 1);
  EXPECT_EQ(graph.common.names, (std::vector<std::string>{"ß", "b", "#tag", "7"}));
  EXPECT_EQ(graph.common.out_weight, (std::vector<double>{2, 2.5, 0, 1}));
  const InEdges& edges = graph.hosted[0];
  EXPECT_EQ(edges.first, 0U);
  EXPECT_EQ(edges.sizes, (std::vector<std::uint32_t>{1, 2, 1, 0}));
  EXPECT_EQ(edges.from, (std::vector<std::uint32_t>{1, 0, 3, 0}));
  EXPECT_EQ(edges.weights, (std::vector<double>{2.5, 1, 1, 1}));
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
    std::vector<std::vector<std::uint32_t>> all;
    for (const InEdges& part : parts) {
      EXPECT_EQ(part.first, all.size());
      EXPECT_EQ(part.weights, std::vector<double>(part.from.size(), 0.5));
      auto from = part.from.begin();
      for (const std::uint32_t size : part.sizes) {
        const auto& its = all.emplace_back(from, from + size);
        EXPECT_TRUE(std::ranges::is_sorted(its));
        from += size;
      }
      EXPECT_EQ(from, part.from.end());
    }
    return all;
  };
  const LoadedGraph whole = read({file}, 1);
  for (const std::uint32_t shards : {2U, 3U, 8U, 500U}) {
    const LoadedGraph graph = read({file}, shards);
    EXPECT_EQ(sources(graph.hosted), sources(whole.hosted));
    for (const InEdges& part : graph.hosted)
      EXPECT_NEAR(static_cast<double>(4 * part.sizes.size() + part.from.size()),
                  static_cast<double>(4 * whole.common.out_weight.size() + whole.hosted[0].from.size()) / shards, 20);
    EXPECT_EQ(read({file}, shards, {1}).hosted[0].from, graph.hosted[1].from);
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

}  // namespace
}  // namespace rota::pagerank
