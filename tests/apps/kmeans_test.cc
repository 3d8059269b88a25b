// tests/apps/kmeans_test.cc -- the k-means app over the serial host, against plain loops.

#include "apps/kmeans/commands.h"
#include "rota/plugin.h"
#include "rota/testing/serial_host.h"
#include "tests/apps/packed_data.h"
#include "tests/apps/resumed.h"
#include "tests/unit/apps/kmeans/plain_rows.h"
#include "tests/unit/io/scratch_files.h"

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
    options.try_emplace("shards", std::to_string(kShards));
    return serial_job(linked_plugin(), options, {files_.write("rows", libsvm_text(rows_))});
  }
  // The inertia of the model's centres, and whether another of Lloyd's steps keeps them, by plain loops.
  double inertia(const Model& model, bool& stays) const {
    const kmeans::Centres trained = kmeans::read_centres(model);
    const std::uint32_t clusters = trained.clusters();
    Dense centres(clusters, std::vector<double>(kColumns)), sums = centres;
    std::vector<double> counts(clusters);
    for (std::uint32_t k = 0; k < clusters; ++k)
      for (std::uint32_t j = 0; j < kColumns; ++j) centres[k][j] = trained.value(j, k);
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
    for (std::uint32_t k = 0; k < clusters; ++k)
      for (std::uint32_t j = 0; j < kColumns; ++j)
        stays = stays && std::abs(sums[k][j] / counts[k] - centres[k][j]) < 1e-13;
    return all;
  }

  ScratchFiles files_;
  Dense rows_ = random_rows(150, kColumns, 5);
};

TEST_F(Kmeans, EndsAtAFixedPointFromBothStarts) {
  for (const auto& [start, clusters] : {std::pair("plusplus", "6"), {"random", "6"}, {"random", "20"}}) {
    SerialHost host(linked_plugin(), job({{"init", start}, {"clusters", clusters}, {"tolerance", "0"}}));
    double before = std::numeric_limits<double>::infinity();
    int settled = 0;
    for (int epoch = 0; !host.done(); ++epoch) {
      ASSERT_LT(epoch, 100);
      host.run_epoch();
      bool stays = false;
      const double now = inertia(SerialModel(host), stays);
      EXPECT_NEAR(host.evaluate()[0], now, 1e-12 * now);
      EXPECT_LE(now, before * (1 + 1e-12));
      EXPECT_TRUE(stays || !host.done());
      EXPECT_LE(settled += stays ? 1 : 0, 2);  // updated sums are verified by new ones
      before = now;
    }
    EXPECT_EQ(host.figure("rows_moved"), 0);
  }
}

TEST_F(Kmeans, AToleranceEndsItBefore) {
  SerialHost exact(linked_plugin(), job({{"tolerance", "0"}})), early(linked_plugin(), job({{"tolerance", "0.02"}}));
  exact.run_epochs(100);
  early.run_epochs(100);
  EXPECT_TRUE(exact.done() && early.done());
  EXPECT_LT(early.epochs(), exact.epochs());
}

// The resumed job is evaluated, which computes data of the next push, and the other one is not.
TEST_F(Kmeans, ARestoredJobContinuesAlike) {
  expect_resumed_alike(job({{"tolerance", "0"}}), 3, 100);
}

TEST_F(Kmeans, AnEpochIsARoundUnlessItMayBeTheLast) {
  for (const std::string tolerance : {"0", "1e-6"}) {
    SerialHost host(linked_plugin(), job({{"tolerance", tolerance}, {"init", "random"}, {"epochs", "6"}}));
    std::string rounds;  // of sums, or not
    host.watch([&](const Round& round, std::uint32_t) { rounds += round.open ? 's' : '-'; });
    while (!host.done()) {
      host.run_epoch();
      rounds += ' ';
    }
    EXPECT_EQ(rounds, "-s s s s s- s- ");
  }
}

// A start of two equal centres leaves one without rows; it gets one before the sums are made.
TEST_F(Kmeans, ALookGivesAnEmptyClusterARow) {
  rows_ = {{1}, {1}, {1}, {5}, {6}, {9}};
  const std::string centres = files_.write("centres", "1\n1\n8\n");
  SerialHost host(linked_plugin(), job({{"clusters", "3"}, {"shards", "2"}, {"tolerance", "0"}, {"centres", centres}}));
  std::string rounds;
  host.watch([&](const Round& round, std::uint32_t) { rounds += round.open ? 's' : '-'; });
  for (const double inertia : {26.0 / 3, 0.5, 0.5}) {
    host.run_epoch();
    rounds += ' ';
    EXPECT_NEAR(host.evaluate()[0], inertia, 1e-12);
  }
  EXPECT_TRUE(host.done());
  EXPECT_EQ(rounds, "-s -s s ");
}

// After a row of 1e17 left a cluster, its sums had lost 1,000 ones, which are below the last digit of 1e17.
TEST_F(Kmeans, AnOutlierThatLeavesTakesNothingAlong) {
  rows_.assign(1011, {1});
  rows_[1000] = {1e17};
  for (std::size_t r = 1001; r < 1011; ++r) rows_[r] = {3};
  for (const char* const tolerance : {"0", "1e-6"})
    for (int seed = 1; seed <= 5; ++seed) {
      SerialHost host(linked_plugin(), job({{"clusters", "2"},
                                            {"init", "random"},
                                            {"shards", "1"},
                                            {"tolerance", tolerance},
                                            {"seed", std::to_string(seed)}}));
      host.run();
      EXPECT_TRUE(host.converged().value());
      EXPECT_NEAR(host.evaluate()[0], 4.0 * 1000 * 10 / 1010, 1e-9);  // the ones and the threes, and the outlier
      const kmeans::Centres trained = kmeans::read_centres(SerialModel(host));
      const std::uint32_t many = trained.count(0) > 1 ? 0 : 1;
      EXPECT_EQ(trained.count(many), 1010);
      EXPECT_DOUBLE_EQ(trained.value(0, many), 1030.0 / 1010);
    }
}

TEST_F(Kmeans, TheBestOfSeveralStartsIsTheModel) {
  double least = std::numeric_limits<double>::infinity();
  SerialHost host(linked_plugin(), job({{"tolerance", "0"}, {"restarts", "6"}, {"init", "random"}}));
  std::vector<double> ends;  // the inertia of each start
  while (!host.done()) {
    const double before = host.figure("starts_ended");
    host.run_epoch();
    if (host.figure("starts_ended") > before) ends.push_back(host.evaluate()[0]);
  }
  ASSERT_EQ(ends.size(), 6U);
  least = *std::min_element(ends.begin(), ends.end());
  ASSERT_NE(ends.back(), least) << "another seed, please: the best one has to be made again";
  EXPECT_EQ(host.evaluate()[0], least);
  EXPECT_TRUE(host.converged().value());
  bool stays = false;
  EXPECT_NEAR(inertia(SerialModel(host), stays), least, 1e-12 * least);
  EXPECT_TRUE(stays);

  SerialHost resumed(linked_plugin(), job({{"tolerance", "0"}, {"restarts", "6"}, {"init", "random"}}));
  while (!resumed.done()) {
    resumed.run_epoch();
    resumed.restore(resumed.save());
  }
  EXPECT_EQ(resumed.save(), host.save());

  SerialHost bounded(linked_plugin(),
                     job({{"tolerance", "0"}, {"restarts", "6"}, {"init", "random"}, {"epochs", "13"}}));
  bounded.run();
  EXPECT_TRUE(bounded.done());
  EXPECT_LE(bounded.epochs(), 14U);  // the number of the next
  EXPECT_FALSE(bounded.converged().value());
}

TEST_F(Kmeans, EveryClusterGetsARowWhereThereAreEnough) {
  // Three different rows, and a random start that will often draw the same one twice.
  rows_.clear();
  for (int i = 0; i < 60; ++i) rows_.push_back({i % 3 * 4.5, 1, 0.1, 0, 0, 0, 0});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Job one = job({{"clusters", "3"}, {"init", "random"}, {"tolerance", "0"}});
    one.seed = seed;
    SerialHost host(linked_plugin(), one);
    host.run_epochs(100);
    EXPECT_TRUE(host.done());
    EXPECT_NEAR(host.evaluate()[0], 0, 1e-25);
  }
  SerialHost more(linked_plugin(), job({{"clusters", "5"}, {"tolerance", "0"}}));
  more.run_epochs(100);
  EXPECT_TRUE(more.done());
  EXPECT_NEAR(more.evaluate()[0], 0, 1e-25);
}

TEST_F(Kmeans, AtAnyScaleOfTheDataTheModelIsTheSame) {
  const Dense rows = rows_;
  const auto at = [&](double scale) {
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t j = 0; j < kColumns; ++j) rows_[r][j] = rows[r][j] * scale;
    SerialHost host(linked_plugin(), job({}));
    host.run();
    EXPECT_TRUE(host.converged().value());
    return std::pair(host.evaluate()[0] / scale / scale, host.epochs());
  };
  const auto [inertia, epochs] = at(1);
  for (const double scale : {0x1p-460, 1e-12, 1e-6, 1e6, 1e12, 0x1p460}) {
    const auto [other, other_epochs] = at(scale);
    EXPECT_NEAR(other, inertia, 1e-11 * inertia) << scale;
    EXPECT_EQ(other_epochs, epochs) << scale;
  }
}

// Times within two minutes, as seconds since 1970: 26 of 200 rows were in the farther cluster, and the run did not
// converge.
TEST_F(Kmeans, TimesSince1970AreClusteredLikeTimesSinceNow) {
  for (const double shift : {0.0, 1.7e9}) {
    rows_.clear();
    for (int i = 0; i < 200; ++i) rows_.push_back({shift + (i % 2 == 0 ? 1 + i % 11 : 30 + i % 11)});
    SerialHost host(linked_plugin(), job({{"clusters", "2"}, {"tolerance", "0"}}));
    host.run();
    EXPECT_TRUE(host.converged().value());
    EXPECT_LT(host.epochs(), 6U);
    EXPECT_NEAR(host.evaluate()[0], 2020.59, 1e-6);
    const kmeans::Centres trained = kmeans::read_centres(SerialModel(host));
    EXPECT_EQ(trained.count(0), 100);
  }
}

TEST_F(Kmeans, PlusplusPassesOverRowsThatAreCentresAlready) {
  rows_.assign(30, {1, 2, 3});
  rows_[4] = {5, 5, 5};
  rows_[17] = {0, 0, 9};
  SerialHost host(linked_plugin(), job({{"clusters", "3"}}));
  host.run_epoch();
  EXPECT_EQ(host.evaluate()[0], 0);
}

TEST_F(Kmeans, SumsThatMayHaveLostDigitsAreMadeAgainEveryTenthEpochAndInTheLast) {
  for (const double outlier : {1.0, 1e9}) {
    rows_ = random_rows(2000, kColumns, 7);
    rows_[0][0] = outlier;
    SerialHost host(linked_plugin(), job({{"clusters", "12"}, {"tolerance", "0"}, {"epochs", "25"}}));
    std::vector<std::byte> steps;  // the first field of a round's argument
    host.watch([&](const Round& round, std::uint32_t) {
      if (round.open) steps.push_back(round.argument.bytes().view()[0]);
    });
    host.run();
    ASSERT_EQ(steps.size(), 25U) << "another seed, please: it has converged before";
    for (std::size_t i = 1; i < steps.size(); ++i)
      EXPECT_EQ(steps[i] != steps[1], outlier > 1 && (i == 10 || i == 20 || i == 24)) << i;
  }
}

TEST_F(Kmeans, OneModelFromTextAndFromShards) {
  expect_one_model(job({{"clusters", "3"}, {"shards", "3"}}));
}

TEST_F(Kmeans, BytesThatChanged) {
  rows_.resize(7);
  expect_flips_are_borne(job({{"clusters", "2"}, {"shards", "2"}}));
}

TEST_F(Kmeans, ValuesWhoseSquaresCannotBeSummedAreNamed) {
  const auto message = [&](const std::string& text) {
    const Job one = serial_job(linked_plugin(), {{"clusters", "1"}, {"shards", "1"}}, {files_.write("f", text)});
    return message_of<DataError>([&] { SerialHost(linked_plugin(), one); });
  };
  EXPECT_TRUE(message("1 1:1\n\n1 1:2 2:1e141\n").ends_with("/f:3: a value above 1e+140: scale the data"));
  EXPECT_TRUE(message("1 1:1e-200\n1\n1 2:-3e-150 3:1e-150\n1 1:3e-150\n")
                  .ends_with("/f:3: the largest value is below 1e-140: scale the data"));
  EXPECT_EQ(message("1 1:1e-200\n1 1:1e-139\n"), "no error");
}

TEST_F(Kmeans, FewerRowsThanClustersAreRefused) {
  const std::string what = message_of<UsageError>([&] { SerialHost(linked_plugin(), job({{"clusters", "151"}})); });
  EXPECT_EQ(what, "the data has 150 rows, fewer than --clusters=151");
}

}  // namespace
}  // namespace rota::tests
