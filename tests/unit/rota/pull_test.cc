#include "rota/pull.h"

namespace rota {
namespace {

TEST(Pull, AddsOrAssigns) {
  std::vector<double> first = {1, 2}, second = {3, 4};
  const std::vector<double> sums[] = {{10, 20}, {30, 40, 50}};
  const PullEntry entries[] = {{7, sums[0], first}, {9, sums[1], second}};
  Writer reply;
  const PullTask task{1, 0, entries, {}, {}, {}, reply};
  AddPull().pull(task);
  EXPECT_EQ(first, (std::vector<double>{11, 22}));
  AssignPull().pull(task);
  EXPECT_EQ(first, (std::vector<double>{10, 20}));
  EXPECT_EQ(second, (std::vector<double>{30, 40})) << "a part may have more numbers than its row";
}

TEST(Pull, RowsAreRewrittenByAFunction) {
  std::vector<double> first = {1, 2}, second = {3};
  const std::vector<double> sums[] = {{10, 4}, {30, 6}};
  const PullEntry entries[] = {{7, sums[0], first}, {9, sums[1], second}};
  Writer reply;
  const PullTask task{1, 0, entries, {}, {}, {}, reply};
  row_pull([](std::span<const double> sum, std::span<double> value) { value[0] = sum[0] / sum[1]; })->pull(task);
  EXPECT_EQ(first, (std::vector<double>{2.5, 2}));
  EXPECT_EQ(second, std::vector<double>{5});
  row_pull([](const PullEntry& entry, Random& random) { entry.value[0] = random.uniform(); })->pull(task);
  EXPECT_EQ(first[0], task.random(7).uniform());
  EXPECT_EQ(second[0], task.random(9).uniform());
}

TEST(Pull, TablesAreCombinedInTheirOwnWays) {
  TablesPull pull(
      {{.name = "sums"}, {.name = "least", .combine = Combine::min}, {.name = "most", .combine = Combine::max}});
  const std::vector<double> parts = {1, 9};
  Writer reply;
  for (const auto& [table, expected] :
       {std::pair(TableId{0}, std::vector<double>{4, 12}), std::pair(TableId{1}, std::vector<double>{1, 3}),
        std::pair(TableId{2}, std::vector<double>{3, 9})}) {
    std::vector<double> value = {3, 3};
    const PullEntry entries[] = {{7, parts, value}};
    pull.pull({1, table, entries, {}, {}, {}, reply});
    EXPECT_EQ(value, expected);
  }
}

TEST(Pull, ARowsRandomDependsOnRoundTableAndKey) {
  Writer reply;
  const auto first = [&](RoundId round, TableId table, Key key, std::uint64_t seed) {
    return PullTask{round, table, PullEntries(std::span<const PullEntry>()), {}, {}, {}, reply, seed}.random(key)();
  };
  EXPECT_EQ(first(1, 2, 3, 4), first(1, 2, 3, 4));
  const std::set<std::uint64_t> all = {first(1, 2, 3, 4), first(2, 2, 3, 4), first(1, 3, 3, 4), first(1, 2, 4, 4),
                                       first(1, 2, 3, 5)};
  EXPECT_EQ(all.size(), 5U);
}

// A pull treats rows in runs like rows with an object each.
TEST(Pull, RunsAreEntriesToo) {
  for (const std::size_t part_width : {2U, 3U}) {
    std::vector<double> sums(3 * part_width), values = {1, 2, 3, 4, 5, 6};
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<double>(10 * i);
    const std::span<double> all = values;
    const std::span<const double> sum = sums;
    const PullRun runs[] = {{7, 2, sum.first(2 * part_width), all.first(4)},
                            {12, 1, sum.subspan(2 * part_width), all.subspan(4)}};
    const PullEntries entries{std::span<const PullRun>(runs)};
    EXPECT_EQ(entries.size(), 3U);
    EXPECT_FALSE(entries.empty());
    EXPECT_TRUE(entries.named().empty());
    std::size_t at = 0;
    for (const PullEntry& entry : entries) {
      EXPECT_EQ(entry.key, (std::vector<Key>{7, 8, 12})[at]);
      EXPECT_EQ(entry.sum.data(), sums.data() + at * part_width);
      EXPECT_EQ(entry.sum.size(), part_width);
      EXPECT_EQ(entry.value.data(), values.data() + at * 2);
      EXPECT_EQ(entry.value.size(), 2U);
      EXPECT_EQ(entries[at].key, entry.key);
      EXPECT_EQ(entries[at].value.data(), entry.value.data());
      ++at;
    }
    EXPECT_EQ(at, 3U);
    Writer reply;
    const PullTask task{1, 0, entries, {}, {}, {}, reply};
    AddPull().pull(task);
    std::vector<double> expected;
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t i = 0; i < 2; ++i)
        expected.push_back(static_cast<double>(2 * row + i + 1) + sums[row * part_width + i]);
    EXPECT_EQ(values, expected) << "a part may have more numbers than its row";
    AssignPull().pull(task);
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(values[2 * row + i], sums[row * part_width + i]);
  }
  EXPECT_EQ(PullEntries(std::span<const PullRun>()).begin(), PullEntries(std::span<const PullRun>()).end());
}

}  // namespace
}  // namespace rota
