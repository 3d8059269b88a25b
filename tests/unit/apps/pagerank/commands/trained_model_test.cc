#include "apps/pagerank/commands/trained_model.h"

namespace rota::pagerank {
namespace {

TEST(TrainedModel, TopNodesAreInOrder) {
  const TrainedModel model{{"a", "b", "c", "d"}, {0.1, 0.4, 0.1, 0.4}};
  EXPECT_EQ(top_nodes(model, 3), (std::vector<std::size_t>{1, 3, 0}));
  EXPECT_EQ(top_nodes(model, 9).size(), 4U);
}

}  // namespace
}  // namespace rota::pagerank
