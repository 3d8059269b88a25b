// tests/apps/kmeans_packed_test.cc -- k-means from data by shard.
#include "rota/error.h"
#include "tests/apps/packed_data.h"
#include "tests/unit/apps/io/scratch_files.h"

extern "C" const rota::Plugin* rota_plugin_v1();

namespace rota::tests {
namespace {

const Plugin& plugin() {
  return *rota_plugin_v1();
}

constexpr const char* kRows = "0 1:2 3:-1\n0 2:0.5\n0 1:1 2:1 4:3\n0\n0 4:0.25\n0 1:-1\n0 2:2 3:1\n";

TEST(KmeansPacked, OneModelFromTextAndFromShards) {
  const ScratchFiles files;
  const std::map<std::string, std::string> options{{"clusters", "3"}, {"shards", "3"}};
  expect_one_model(plugin(), serial_job(plugin(), options, {files.write("rows", kRows)}));
}

TEST(KmeansPacked, BytesThatChanged) {
  const ScratchFiles files;
  const std::map<std::string, std::string> options{{"clusters", "2"}, {"shards", "2"}};
  expect_flips_are_borne(plugin(), serial_job(plugin(), options, {files.write("rows", kRows)}));
}

}  // namespace
}  // namespace rota::tests
