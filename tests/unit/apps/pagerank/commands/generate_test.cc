#include "apps/pagerank/commands/generate.h"

namespace rota::pagerank {
namespace {

std::string text_of(const GraphShape& shape) {
  std::ostringstream out;
  generate_graph(shape, out);
  return out.str();
}

TEST(Generate, EqualShapesGiveEqualGraphsAndOtherSeedsDoNot) {
  const GraphShape shape{.nodes = 100, .edges = 500};
  GraphShape other = shape;
  other.seed = 2;
  EXPECT_EQ(text_of(shape), text_of(shape));
  EXPECT_NE(text_of(shape), text_of(other));
}

TEST(Generate, NodesAndEdgesAreThoseAskedFor) {
  for (const std::uint64_t nodes : {1U, 2U, 3U, 1000U}) {
    std::istringstream in(text_of({.nodes = nodes, .edges = 300}));
    std::uint64_t from = 0, to = 0, edges = 0;
    for (; in >> from >> to; ++edges) EXPECT_TRUE(from < nodes && to < nodes);
    EXPECT_EQ(edges, 300U);
  }
}

// The number of edges into the i-th node of the order is in proportion to i^(1 - a) up to it: a tenth of the nodes has
// a share 0.1^(1 - a) of them.
TEST(Generate, DegreesHaveAPowerLaw) {
  constexpr std::uint64_t kNodes = 10'000, kEdges = 400'000;
  std::istringstream in(text_of({.nodes = kNodes, .edges = kEdges}));
  std::vector<double> to_degree(kNodes), from_degree(kNodes);
  for (std::uint64_t from = 0, to = 0; in >> from >> to;) ++from_degree[from], ++to_degree[to];
  const auto share = [&](std::vector<double>& degree) {
    std::sort(degree.begin(), degree.end(), std::greater<>());
    double sum = 0;
    for (std::size_t i = 0; i < kNodes / 10; ++i) sum += degree[i];
    return sum / kEdges;
  };
  EXPECT_NEAR(share(to_degree), 0.811, 0.01);    // a = 1 / 1.1
  EXPECT_NEAR(share(from_degree), 0.382, 0.03);  // a = 1 / 1.72; among so few edges, chance adds to the largest
}

}  // namespace
}  // namespace rota::pagerank
