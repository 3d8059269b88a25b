#include "core/rounds/rules.h"

#include "tests/unit/core/rounds/small_rounds.h"

namespace rota::rules {
namespace {

using tests::kApart;
using tests::owning;
using tests::sharing;

constexpr TableId kTogether = 3, kDense = 4;

std::vector<Table> tables() {
  return {{"first", Table::Kind::shared, 10, 1, 1},
          {"slices", Table::Kind::sliced, 10, 0, 0},
          {"apart", Table::Kind::shared, 100, 1, 1},
          {"together", Table::Kind::shared, 100, 1, 3, 2, true},
          {.name = "dense", .keys = 100, .row_width = 1, .part_width = 1, .dense = true}};
}

Round open_round(TableId table) {
  Round round = sharing({}, table);
  round.open = true;
  return round;
}

std::string why(const Round& round) {
  const Status status = check_round(7, round, tables(), 3, 6);
  if (status.ok()) return "";
  EXPECT_EQ(status.code(), ExitCode::failed);
  const std::string where = "schedule, round 7: ";
  EXPECT_TRUE(status.what().starts_with(where));
  return status.what().substr(where.size());
}

TEST(Rules, IllegalRoundsAreRefused) {
  EXPECT_EQ(why(owning({1, 4, 1})), "slice 1 is given to two shards");
  EXPECT_EQ(why(owning({1, 6, 2})), "no slice 6");
  EXPECT_EQ(why(owning({1, 2})), "slices for 2 of 3 shards");
  EXPECT_EQ(why(sharing({4, 2, 4})), "a shared row is named twice");
  EXPECT_EQ(why(sharing({4}, 5)), "table 5 is not a shared table");
  EXPECT_EQ(why(sharing({}, 9)), "table 9 is not a shared table");
  EXPECT_EQ(why(sharing({4}, 1)), "table 1 is not a shared table") << "it is sliced";
  EXPECT_EQ(why(sharing({})), "no row is named, and table apart spans partitions");
  EXPECT_EQ(why(sharing({100})), "table apart has no row 100");
  Round exchange = owning({1, 2, 3});
  exchange.dataflow = 0;
  EXPECT_EQ(why(exchange), "an exchange with shared rows or slices");
  EXPECT_EQ(why(owning({1, std::nullopt, 2})), "");
  EXPECT_EQ(why(sharing({}, kTogether)), "") << "shards send notes";
}

TEST(Rules, BlocksMustHoldTheRowsOfATableInOnePartition) {
  Round round = sharing({4, 2});
  round.blocks = {2};
  EXPECT_EQ(why(round), "blocks, and table apart spans partitions");
  round.table = kTogether;
  EXPECT_EQ(why(round), "");
  for (const std::vector<std::uint32_t>& blocks : {std::vector<std::uint32_t>{1}, {2, 1}, {2, 0xffffffffU}}) {
    round.blocks = blocks;
    EXPECT_EQ(why(round), "its blocks hold another number of rows");
  }
}

TEST(Rules, AnOpenRoundHasADenseTableAndNamesNoRows) {
  EXPECT_EQ(why(open_round(kDense)), "");
  EXPECT_EQ(why(open_round(kApart)), "it is open, and table apart is not dense");
  Round rows = open_round(kDense);
  rows.shared = {1};
  EXPECT_EQ(why(rows), "it is open, and names rows");
  Round blocks = open_round(kDense);
  blocks.blocks = {1};
  EXPECT_EQ(why(blocks), "it is open, and names rows");
}

TEST(Rules, AnExchangeGoesAlongADataflowOfTheApp) {
  Round round;
  EXPECT_TRUE(check_dataflow(7, round, 0).ok());
  round.dataflow = 1;
  EXPECT_TRUE(check_dataflow(7, round, 2).ok());
  EXPECT_EQ(check_dataflow(7, round, 1).what(), "schedule, round 7: no dataflow 1");
}

TEST(Rules, PartsGrowWithTheirPlaceInABlock) {
  const Table table = tables()[kTogether];  // 3 numbers, and 2 more for every row before it in its block
  EXPECT_EQ(part_offsets(table, {}), (std::vector<std::size_t>{0}));
  Round round = sharing({4, 5}, kTogether);
  EXPECT_EQ(part_offsets(table, rows_of_round(1, round)), (std::vector<std::size_t>{0, 3, 6}));
  round.shared = {9, 8, 7, 6};
  round.blocks = {3, 1};
  EXPECT_EQ(part_offsets(table, rows_of_round(1, round)), (std::vector<std::size_t>{0, 3, 8, 15, 18}));
}

TEST(Rules, FeedbackIsDueForAllRoundsButThoseInThePipeline) {
  EXPECT_EQ(feedback_due(9, 0), 0U) << "none is waited for";
  EXPECT_EQ(feedback_due(9, 1), 9U);
  EXPECT_EQ(feedback_due(9, 4), 6U);
  EXPECT_EQ(feedback_due(4, 4), 1U);
  EXPECT_EQ(feedback_due(3, 4), 0U);
}

TEST(Rules, SumsFollowTheTree) {
  EXPECT_EQ(sum_over_tree({}, 2), (std::vector<double>{0, 0}));
  const double tiny = 1e-16;
  EXPECT_EQ(sum_over_tree({{1}, {tiny}, {tiny}}, 1), (std::vector<double>{(1 + tiny) + tiny}));
  EXPECT_EQ(sum_over_tree({{1}, {0}, {tiny}, {tiny}}, 1), (std::vector<double>{1 + (tiny + tiny)}));
  const Leaves shards = {{1, 2}, {3, 4}}, rows = {{10, 20}};
  const Leaves none;
  EXPECT_EQ(sum_of_terms({&shards, &none, &rows}, 2), (std::vector<double>{14, 26}));
}

}  // namespace
}  // namespace rota::rules
