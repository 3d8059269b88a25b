// The PageRank app over the serial host.  tests/unit/apps/pagerank/ranks_test.cc compares its steps with plain loops.

#include "apps/pagerank/commands/generate.h"
#include "apps/pagerank/commands/trained_model.h"
#include "rota/plugin.h"
#include "rota/testing/serial_host.h"
#include "tests/apps/make_job.h"
#include "tests/apps/resumed.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::tests {
namespace {

class Pagerank : public testing::Test {
 protected:
  Job job(std::map<std::string, std::string> options, std::uint32_t shards) {
    std::ostringstream text;
    pagerank::generate_graph({.nodes = 300, .edges = 1500}, text);
    return make_job(linked_plugin(), options, {files_.write("graph", text.str())}, shards);
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
    // The first epoch's change is that from zeros.
    EXPECT_NEAR(host.figure("change_l1"), epoch == 0 ? 1 : before, 1e-14);
    const pagerank::TrainedModel model = pagerank::read_model(SerialModel(host));
    EXPECT_NEAR(std::accumulate(model.ranks.begin(), model.ranks.end(), 0.0), 1, 1e-13);
  }
  EXPECT_LT(host.evaluate()[0], 1e-12);
}

TEST_F(Pagerank, ShardsChangeNoMoreThanRounding) {
  SerialHost one(linked_plugin(), job({}, 1)), several(linked_plugin(), job({}, 7));
  one.run_epochs(300);
  several.run_epochs(300);
  const auto a = pagerank::read_model(SerialModel(one)), b = pagerank::read_model(SerialModel(several));
  EXPECT_EQ(a.names, b.names);
  ASSERT_EQ(a.ranks.size(), b.ranks.size());
  for (std::size_t v = 0; v < a.ranks.size(); ++v) EXPECT_NEAR(a.ranks[v], b.ranks[v], 1e-15);
}

// Ten steps an epoch; shards exchange only the ranks that they need.
TEST_F(Pagerank, ASparseExchangeComesToTheSameRanks) {
  SerialHost store(linked_plugin(), job({}, 1));
  store.run_epochs(30);
  const auto a = pagerank::read_model(SerialModel(store));
  for (const std::uint32_t shards : {1U, 4U, 6U, 7U}) {
    SerialHost sparse(linked_plugin(), job({{"exchange", "sparse"}}, shards));
    sparse.run_epochs(2);
    sparse.restore(sparse.save());
    sparse.run_epoch();
    const auto b = pagerank::read_model(SerialModel(sparse));
    ASSERT_EQ(a.ranks.size(), b.ranks.size());
    for (std::size_t v = 0; v < a.ranks.size(); ++v) EXPECT_NEAR(a.ranks[v], b.ranks[v], 1e-15);
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
    return pagerank::read_model(SerialModel(host)).ranks;
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

TEST_F(Pagerank, ARestoredJobContinuesAlike) {
  expect_resumed_alike(job({}, 3), 5, 300);
}

}  // namespace
}  // namespace rota::tests
