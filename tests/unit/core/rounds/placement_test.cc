#include "core/rounds/placement.h"

namespace rota {
namespace {

// All processes must agree, and so must later releases that open a model.
TEST(Placement, RowsStayWhereTheyAre) {
  const std::vector<std::uint32_t> expected = {554, 229, 301, 900, 785, 527, 850, 461,
                                               534, 744, 533, 798, 212, 56,  670, 319};
  std::vector<std::uint32_t> found;
  for (Key key = 0; key < 8; ++key) found.push_back(partition_of_row(0, key, 1000));
  for (Key key = 0; key < 8; ++key) found.push_back(partition_of_row(3, key << 40, 1000));
  EXPECT_EQ(found, expected);
}

TEST(Placement, RowsSpreadEvenly) {
  for (const std::uint32_t partitions : {1U, 2U, 3U, 7U, 16U}) {
    std::vector<std::uint32_t> rows(partitions);
    for (Key key = 0; key < 16000; ++key) ++rows.at(partition_of_row(1, key, partitions));
    const double even = 16000.0 / partitions;
    for (const std::uint32_t count : rows) EXPECT_NEAR(count, even, 0.12 * even) << partitions;
  }
}

TEST(Placement, RowsThatAreTogetherAreInOnePartition) {
  Table table{"rows", Table::Kind::shared, 100, 1, 1};
  for (Key key = 0; key < 100; ++key) EXPECT_EQ(home_of_row(table, 2, key, 7), partition_of_row(2, key, 7));
  table.single_partition = true;
  for (Key key = 0; key < 100; ++key) EXPECT_EQ(home_of_row(table, 2, key, 7), kSinglePartition);
}

TEST(Placement, ASliceBeginsAtItsFirstShardOfARotation) {
  for (std::uint32_t shards = 1; shards <= 6; ++shards)
    for (std::uint32_t each = 1; each <= 3; ++each)
      for (ShardId s = 0; s < shards; ++s) EXPECT_EQ(home_shard(s * each, shards, shards * each), s);
}

// Later releases that open a model must find them, too.
TEST(Placement, RowsOfADenseTableLiveInRangesOfKeys) {
  for (const std::uint64_t keys : {1U, 2U, 7U, 100U, 1000U})
    for (const std::uint32_t partitions : {1U, 2U, 3U, 7U, 16U}) {
      Table table{"all", Table::Kind::shared, keys, 1, 1};
      table.dense = true;
      Key next = 0;
      for (std::uint32_t p = 0; p < partitions; ++p) {
        const KeyRange range = range_of(table, p, partitions);
        EXPECT_EQ(range.first, next);
        for (; next < range.end; ++next) ASSERT_EQ(home_of_row(table, 0, next, partitions), p);
      }
      EXPECT_EQ(next, keys);
      table.single_partition = true;
      EXPECT_EQ(range_of(table, kSinglePartition, partitions), (KeyRange{0, keys}));
      if (partitions > 1) {
        EXPECT_EQ(range_of(table, 1, partitions), KeyRange{});
      }
      EXPECT_EQ(home_of_row(table, 0, keys - 1, partitions), kSinglePartition);
    }
  Table large{"all", Table::Kind::shared, std::uint64_t{1} << 34, 1, 1};
  large.dense = true;
  EXPECT_EQ(home_of_row(large, 0, large.keys - 1, (1U << 24) - 1), (1U << 24) - 2) << "nothing overflows";
  EXPECT_EQ(range_of(large, (1U << 24) - 2, (1U << 24) - 1).end, large.keys);
}

}  // namespace
}  // namespace rota
