// tests/apps/kmeans_test.cc -- the k-means app over the serial host, against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

#include "apps/kmeans/commands/trained_model.h"
#include "rota/plugin.h"
#include "rota/serial_host.h"
#include "tests/apps/make_job.h"
#include "tests/unit/apps/io/scratch_files.h"
#include "tests/unit/apps/kmeans/plain_rows.h"

extern "C" const rota::Plugin* rota_plugin_v1();

namespace rota::tests {
namespace {

constexpr std::uint32_t kClusters = 6, kColumns = 7, kShards = 4;

std::string libsvm_text(const Dense& rows) {
  std::ostringstream out;
  out.precision(17);
  for (const auto& row : rows) {
    out << "0";
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != 0) out << " " << j + 1 << ":" << row[j];
    out << "\n";
  }
  return out.str();
}

class Kmeans : public testing::Test {
 protected:
  Job job(std::map<std::string, std::string> options) {
    options.try_emplace("clusters", std::to_string(kClusters));
    Job job = make_job(*rota_plugin_v1(), options, {files_.write("rows", libsvm_text(rows_))});
    job.shards = kShards;
    return job;
  }
  // The inertia of the model's centres, and whether another of Lloyd's steps would leave them, by plain loops.
  double inertia(const Model& model, bool& stays) const {
    const kmeans::TrainedModel trained = kmeans::read_model(model);
    Dense centres(kClusters, std::vector<double>(kColumns)), sums = centres;
    std::vector<double> counts(kClusters);
    for (std::uint32_t k = 0; k < kClusters; ++k)
      for (std::uint32_t j = 0; j < kColumns; ++j) centres[k][j] = trained.centres.value(j, k);
    double all = 0;
    for (const auto& row : rows_) {
      std::vector<double> distances;
      for (const auto& centre : centres) distances.push_back(squared_distance(row, centre));
      const auto nearest =
          static_cast<std::size_t>(std::min_element(distances.begin(), distances.end()) - distances.begin());
      all += distances[nearest];
      counts[nearest] += 1;
      for (std::uint32_t j = 0; j < kColumns; ++j) sums[nearest][j] += row[j];
    }
    stays = true;
    for (std::uint32_t k = 0; k < kClusters; ++k)
      for (std::uint32_t j = 0; j < kColumns; ++j)
        stays = stays && std::abs(sums[k][j] / counts[k] - centres[k][j]) < 1e-13;
    return all;
  }

  ScratchFiles files_;
  Dense rows_ = random_rows(150, kColumns, 5);
};

TEST_F(Kmeans, EndsAtAFixedPointFromBothStarts) {
  for (const char* const start : {"plusplus", "random"}) {
    SerialHost host(*rota_plugin_v1(), job({{"start", start}, {"tolerance", "0"}}));
    double before = std::numeric_limits<double>::infinity();
    for (int epoch = 0; !host.done(); ++epoch) {
      ASSERT_LT(epoch, 100);
      host.run_epoch();
      bool stays = false;
      const double now = inertia(SerialModel(host), stays);
      EXPECT_NEAR(host.evaluate()[0], now, 1e-12 * now);
      EXPECT_LE(now, before * (1 + 1e-12));
      EXPECT_EQ(stays, host.done());
      before = now;
    }
    EXPECT_EQ(host.figure("rows_to_move"), 0);
  }
}

TEST_F(Kmeans, AToleranceEndsItBefore) {
  SerialHost exact(*rota_plugin_v1(), job({{"tolerance", "0"}})),
      early(*rota_plugin_v1(), job({{"tolerance", "0.02"}}));
  exact.run_epochs(100);
  early.run_epochs(100);
  EXPECT_TRUE(exact.done() && early.done());
  EXPECT_LT(early.epochs(), exact.epochs());
}

// Whether evaluate() is asked for, which finds what the next push needs, must not matter.
TEST_F(Kmeans, ARestoredJobGoesOnAlike) {
  SerialHost whole(*rota_plugin_v1(), job({{"tolerance", "0"}}));
  whole.run_epochs(3);
  const SerialHost::Snapshot middle = whole.save();
  whole.run_epochs(100);
  SerialHost resumed(*rota_plugin_v1(), job({{"tolerance", "0"}}));
  resumed.restore(middle);
  (void)resumed.evaluate();
  resumed.run_epochs(100);
  EXPECT_EQ(resumed.save(), whole.save());
}

TEST_F(Kmeans, OnlyWhatMovesIsWritten) {
  SerialHost host(*rota_plugin_v1(), job({{"tolerance", "0"}, {"start", "random"}}));
  std::vector<std::size_t> rounds;
  host.watch([&](const Round& round, std::uint32_t) { rounds.push_back(round.open ? 1 : 0); });
  host.run_epoch();
  EXPECT_EQ(rounds, (std::vector<std::size_t>{0, 1, 0}));  // the start, Lloyd's step, the look at it
  host.run_epoch();
  EXPECT_EQ(rounds.size(), 5U);
}

TEST_F(Kmeans, EveryClusterGetsARowWhereThereAreEnough) {
  // Three different rows, and a random start that will often draw the same one twice.
  rows_.clear();
  for (int i = 0; i < 60; ++i) rows_.push_back({i % 3 * 4.5, 1, 0.1, 0, 0, 0, 0});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Job one = job({{"clusters", "3"}, {"start", "random"}, {"tolerance", "0"}});
    one.seed = seed;
    SerialHost host(*rota_plugin_v1(), one);
    host.run_epochs(100);
    EXPECT_TRUE(host.done());
    EXPECT_NEAR(host.evaluate()[0], 0, 1e-25);
  }
  SerialHost more(*rota_plugin_v1(), job({{"clusters", "5"}, {"tolerance", "0"}}));
  more.run_epochs(100);
  EXPECT_TRUE(more.done());
  EXPECT_NEAR(more.evaluate()[0], 0, 1e-25);
}

TEST_F(Kmeans, FewerRowsThanClustersAreRefused) {
  const std::string what = message_of<UsageError>([&] { SerialHost(*rota_plugin_v1(), job({{"clusters", "151"}})); });
  EXPECT_EQ(what, "the data has 150 rows, fewer than --clusters=151");
}

}  // namespace
}  // namespace rota::tests
