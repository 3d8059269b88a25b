// tests/unit/coordinator/epoch_sum_test.cc
#include "coordinator/epoch_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace rota {
namespace {

TEST(EpochTimes, AddUpOverTheWorkers) {
  EpochTimes times(2);
  EpochDone one, two;
  one.items = 10;
  one.compute_ns = 3'000'000'000;
  one.wait_ns = 1'000'000'000;
  one.bytes_sent = 100;
  one.slice_bytes = 60;
  one.exchange_bytes = 7;
  two.items = 20;
  two.compute_ns = 1'000'000'000;
  EXPECT_TRUE(times.add(1, one));
  EXPECT_FALSE(times.add(1, one)) << "twice";
  EXPECT_FALSE(times.complete());
  EXPECT_TRUE(times.add(0, two));
  EXPECT_TRUE(times.complete());
  EpochRecord record;
  times.fill(record);
  EXPECT_EQ(record.items, 30U);
  EXPECT_EQ(record.bytes_sent, 100U);
  EXPECT_EQ(record.slice_bytes, 60U);
  EXPECT_EQ(record.exchange_bytes, 7U);
  ASSERT_EQ(record.workers.size(), 2U);
  EXPECT_DOUBLE_EQ(record.workers[1].compute_seconds, 3);
  EXPECT_EQ(record.slowest, "worker-1");
  EXPECT_DOUBLE_EQ(record.waiting_share, 0.25);
}

constexpr NodeId kWorker{Role::worker, 0}, kPartition{Role::partition, 0};

Evaluated of_partition(std::vector<double> rows) {
  Evaluated report;
  report.rows = std::move(rows);
  return report;
}

Evaluated of_worker(std::vector<TermsOf> shards, std::vector<TermsOf> slices) {
  Evaluated report;
  report.shards = std::move(shards);
  report.slices = std::move(slices);
  return report;
}

TEST(Evaluation, IsCompleteWhenAllSharesAreIn) {
  Evaluation evaluation(2, 1, 1, 2);
  EXPECT_TRUE(evaluation.add(kWorker, of_worker({{1, {1, 2}}}, {})));
  EXPECT_TRUE(evaluation.add({Role::worker, 1}, of_worker({{0, {3, 4}}}, {{0, {5, 6}}})));
  EXPECT_FALSE(evaluation.complete());
  EXPECT_TRUE(evaluation.add(kPartition, of_partition({7, 8})));
  EXPECT_TRUE(evaluation.complete());
  EXPECT_EQ(evaluation.total(), (std::vector<double>{16, 20}));
}

TEST(Evaluation, ReportsThatDoNotFitAreRefused) {
  Evaluation evaluation(2, 1, 1, 2);
  EXPECT_FALSE(evaluation.add(kWorker, of_worker({{2, {1, 2}}}, {}))) << "no such shard";
  EXPECT_FALSE(evaluation.add(kWorker, of_worker({{0, {1}}}, {}))) << "other terms";
  EXPECT_FALSE(evaluation.add(kWorker, of_worker({}, {{1, {1, 2}}}))) << "no such slice";
  EXPECT_FALSE(evaluation.add({Role::partition, 1}, of_partition({1, 2}))) << "no such partition";
  EXPECT_TRUE(evaluation.add(kPartition, of_partition({1, 2})));
  EXPECT_FALSE(evaluation.add(kPartition, of_partition({1, 2}))) << "twice";
  EXPECT_TRUE(evaluation.add(kWorker, of_worker({{0, {1, 2}}}, {})));
  EXPECT_FALSE(evaluation.add(kWorker, of_worker({{0, {1, 2}}}, {}))) << "twice";
}

TEST(Evaluation, WithoutSlicesOrTermsThereIsStillATotal) {
  Evaluation nothing(1, 0, 1, 0);
  EXPECT_TRUE(nothing.add(kWorker, of_worker({{0, {}}}, {})));
  EXPECT_TRUE(nothing.add(kPartition, of_partition({})));
  EXPECT_TRUE(nothing.complete());
  EXPECT_TRUE(nothing.total().empty());
}

TEST(Evaluation, NotABitDependsOnWhoReportsWhatOrWhen) {
  std::mt19937_64 random(1);
  std::vector<double> share(13 + 26 + 3);
  for (double& x : share)
    x = std::ldexp(1.0 + 1.0 / static_cast<double>(random() % 99 + 1), static_cast<int>(random() % 80));
  std::optional<double> expected;
  for (int round = 0; round < 50; ++round) {
    const std::uint32_t workers = 1 + round % 5;
    std::vector<Evaluated> reports(workers);
    for (std::uint64_t s = 0; s < 13; ++s) reports[random() % workers].shards.push_back({s, {share[s]}});
    for (std::uint64_t b = 0; b < 26; ++b) reports[random() % workers].slices.push_back({b, {share[13 + b]}});
    std::vector<std::pair<NodeId, Evaluated>> all;
    for (std::uint32_t w = 0; w < workers; ++w) all.push_back({{Role::worker, w}, reports[w]});
    for (std::uint32_t p = 0; p < 3; ++p) all.push_back({{Role::partition, p}, of_partition({share[39 + p]})});
    std::shuffle(all.begin(), all.end(), random);
    Evaluation evaluation(13, 26, 3, 1);
    for (const auto& [from, report] : all) EXPECT_TRUE(evaluation.add(from, report));
    ASSERT_TRUE(evaluation.complete());
    if (!expected) expected = evaluation.total()[0];
    EXPECT_EQ(evaluation.total()[0], *expected);
  }
}

}  // namespace
}  // namespace rota
