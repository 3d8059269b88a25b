// The PageRank app over the serial host.  tests/unit/apps/pagerank/power_iteration_test.cc compares its steps
// with plain loops.

#include "rota/plugin.h"
#include "rota/testing/serial_host.h"
#include "tests/apps/make_job.h"
#include "tests/apps/packed_data.h"
#include "tests/apps/resumed.h"
#include "tests/unit/apps/ignored_with.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::tests {
namespace {

class Pagerank : public testing::Test {
 protected:
  Job job(std::map<std::string, std::string> options, std::uint32_t shards) {
    Random random({1, 2, 3, 4});
    std::string text;
    for (int e = 0; e < 1500; ++e)  // more edges into the first nodes, as in the web
      text += std::to_string(random.below(300)) + " " + std::to_string(random.below(1 + random.below(300))) + "\n";
    return make_job(linked_plugin(), options, {files_.write("graph", text)}, shards);
  }
  static std::vector<double> ranks_of(const SerialHost& host) {
    std::vector<double> ranks;
    SerialModel(host).for_each_row(0, [&](Key, std::span<const double> row) { ranks.push_back(row[0]); });
    return ranks;
  }
  ScratchFiles files_;
};

TEST_F(Pagerank, EndsWhereAStepChangesLittle) {
  SerialHost host(linked_plugin(), job({{"tolerance", "1e-12"}}, 3));
  double residual = 10;
  for (int epoch = 0; !host.done(); ++epoch) {
    ASSERT_LT(epoch, 250);
    const double before = host.evaluate()[0];
    EXPECT_LE(before, residual * 0.85 + 1e-15);  // each step is a contraction
    residual = before;
    host.run_epoch();
    EXPECT_NEAR(host.figure("change_l1"), before, 1e-14);
    const std::vector<double> ranks = ranks_of(host);
    EXPECT_NEAR(std::accumulate(ranks.begin(), ranks.end(), 0.0), 1, 1e-13);
  }
  EXPECT_LT(host.evaluate()[0], 1e-12);
}

TEST_F(Pagerank, ShardsChangeNoMoreThanRounding) {
  SerialHost one(linked_plugin(), job({}, 1)), several(linked_plugin(), job({}, 7));
  one.run_epochs(300);
  several.run_epochs(300);
  const std::vector<double> a = ranks_of(one), b = ranks_of(several);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t v = 0; v < a.size(); ++v) EXPECT_NEAR(a[v], b[v], 1e-15);
}

// Ten steps an epoch; shards exchange only the ranks that they need.
TEST_F(Pagerank, ASparseExchangeComesToTheSameRanks) {
  SerialHost store(linked_plugin(), job({{"tolerance", "0"}}, 1));
  store.run_epochs(30);
  const std::vector<double> a = ranks_of(store);
  for (const std::uint32_t shards : {1U, 4U, 6U, 7U}) {
    SerialHost sparse(linked_plugin(), job({{"exchange", "sparse"}, {"tolerance", "0"}}, shards));
    sparse.run_epochs(2);
    sparse.restore(sparse.save());
    sparse.run_epoch();
    const std::vector<double> b = ranks_of(sparse);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t v = 0; v < a.size(); ++v) EXPECT_NEAR(a[v], b[v], 1e-15);
    EXPECT_NEAR(sparse.evaluate()[0], store.evaluate()[0], 1e-15);
  }
}

TEST_F(Pagerank, AtAnyScaleOfTheWeightsTheRanksAreTheSame) {
  const auto ranks_at = [&](const std::string& exponent) {
    std::string text;
    for (int e = 0; e < 400; ++e)
      text += std::to_string(e * e % 59) + " " + std::to_string(e * 7 % 61) + " " + std::to_string(1 + e % 5) +
              exponent + "\n";
    SerialHost host(linked_plugin(), make_job(linked_plugin(), {}, {files_.write("weighted", text)}, 3));
    host.run_epochs(300);
    EXPECT_TRUE(host.done());
    return ranks_of(host);
  };
  const std::vector<double> one = ranks_at("");
  for (const char* const exponent : {"e-100", "e-12", "e-6", "e6", "e12", "e99"}) {
    const std::vector<double> other = ranks_at(exponent);
    ASSERT_EQ(other.size(), one.size());
    for (std::size_t v = 0; v < one.size(); ++v) EXPECT_NEAR(other[v], one[v], 1e-13 * one[v]) << exponent;
  }
  for (const char* const exponent : {"e-300", "e-308", "e300"})
    EXPECT_NE(message_of<DataError>([&] { ranks_at(exponent); }).find("weighted:1: a weight must be between"),
              std::string::npos);
}

TEST_F(Pagerank, AnEpochOfSeveralStepsIsAsManyEpochsOfOne) {
  SerialHost one(linked_plugin(), job({{"tolerance", "0"}}, 3)),
      several(linked_plugin(), job({{"tolerance", "0"}, {"steps", "4"}}, 3));
  one.run_epochs(12);
  several.run_epochs(3);
  EXPECT_EQ(ranks_of(one), ranks_of(several));
}

TEST_F(Pagerank, AStepNeedsTheRanksOfTheOneBefore) {
  const Plugin& plugin = linked_plugin();
  EXPECT_EQ(ignored_with(plugin.options, plugin.framework_needs, Options()),
            (std::set<std::string>{"asynchronous", "staleness"}));
}

TEST_F(Pagerank, ARestoredJobContinuesAlike) {
  expect_resumed_alike(job({}, 3), 5, 300);
}

// Data by shard.
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
