// tests/apps/pagerank_packed_test.cc -- ranks from data by shard.
#include "rota/error.h"
#include "tests/apps/packed_data.h"
#include "tests/unit/apps/io/scratch_files.h"

extern "C" const rota::Plugin* rota_plugin_v1();

namespace rota::tests {
namespace {

const Plugin& plugin() {
  return *rota_plugin_v1();
}

constexpr const char* kGraph = "a b\nb c 2\nc a\nd a 0.5\na d\ne a\ne b 3\nb c\nf f\n";

TEST(PagerankPacked, OneModelFromTextAndFromShards) {
  const ScratchFiles files;
  const std::string graph = files.write("graph", kGraph);
  for (const char* const exchange : {"store", "sparse"}) {
    const std::map<std::string, std::string> options{{"exchange", exchange}, {"shards", "3"}};
    expect_one_model(plugin(), serial_job(plugin(), options, {graph}));
  }
}

TEST(PagerankPacked, ShardsWithoutNodes) {
  const ScratchFiles files;
  expect_one_model(plugin(), serial_job(plugin(), {{"shards", "8"}}, {files.write("graph", "a b\nb a\n")}));
}

TEST(PagerankPacked, BytesThatChanged) {
  const ScratchFiles files;
  expect_flips_are_borne(plugin(), serial_job(plugin(), {{"shards", "2"}}, {files.write("graph", kGraph)}));
}

}  // namespace
}  // namespace rota::tests
