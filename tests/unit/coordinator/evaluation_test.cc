#include "coordinator/evaluation.h"

namespace rota::evaluation {
namespace {

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

TEST(Evaluation, TheOrderOfReportsChangesNoBit) {
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
}  // namespace rota::evaluation
