// tests/apps/kmeans_packed_test.cc -- k-means from data by shard.
#include "tests/apps/packed_data.h"

namespace rota::tests {
namespace {

using KmeansPacked = Packed;

constexpr const char* kRows = "0 1:2 3:-1\n0 2:0.5\n0 1:1 2:1 4:3\n0\n0 4:0.25\n0 1:-1\n0 2:2 3:1\n";

TEST_F(KmeansPacked, OneModelFromTextAndFromShards) {
  const Given options{{"clusters", "3"}, {"shards", "3"}};
  expect_one_model(job(options, files.write("rows", kRows)));
}

TEST_F(KmeansPacked, BytesThatChanged) {
  const Given options{{"clusters", "2"}, {"shards", "2"}};
  expect_flips_are_borne(job(options, files.write("rows", kRows)));
}

}  // namespace
}  // namespace rota::tests
