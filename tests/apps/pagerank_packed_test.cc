// tests/apps/pagerank_packed_test.cc -- ranks from data by shard.
#include "tests/apps/packed_data.h"

namespace rota::tests {
namespace {

using PagerankPacked = Packed;

constexpr const char* kGraph = "a b\nb c 2\nc a\nd a 0.5\na d\ne a\ne b 3\nb c\nf f\n";

TEST_F(PagerankPacked, OneModelFromTextAndFromShards) {
  const std::string graph = files.write("graph", kGraph);
  for (const char* const exchange : {"store", "sparse"}) {
    const Given options{{"exchange", exchange}, {"shards", "3"}};
    expect_one_model(job(options, graph));
  }
}

TEST_F(PagerankPacked, ShardsWithoutNodes) {
  expect_one_model(job({{"shards", "8"}}, files.write("graph", "a b\nb a\n")));
}

TEST_F(PagerankPacked, BytesThatChanged) {
  expect_flips_are_borne(job({{"shards", "2"}}, files.write("graph", kGraph)));
}

}  // namespace
}  // namespace rota::tests
