// tests/unit/core/job/tables_test.cc
#include "core/job/tables.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace rota {
namespace {

Table dense(std::uint64_t keys, std::uint32_t row_width, std::uint32_t part_width) {
  Table table{"all", Table::Kind::shared, keys, row_width, part_width};
  table.dense = true;
  return table;
}

TEST(Tables, ThoseThatArePossibleAre) {
  EXPECT_TRUE(check_tables({}).ok());
  EXPECT_TRUE(check_tables({dense(1000, 3, 1), dense(0, 3, 1), dense(10, 0, 0)}).ok());
  const Table wide{"apart", Table::Kind::shared, std::numeric_limits<std::uint64_t>::max(), 8, 8};
  EXPECT_TRUE(check_tables({wide}).ok()) << "only what is kept whole is limited";
}

TEST(Tables, ASlicedTableCannotBeDense) {
  Table table = dense(10, 1, 1);
  table.kind = Table::Kind::sliced;
  const Status status = check_tables({dense(1, 1, 1), table});
  EXPECT_EQ(status.code(), ExitCode::failed);
  EXPECT_EQ(status.what(), "table all: a sliced table cannot be dense");
}

TEST(Tables, WhatNoMemoryHoldsIsRefusedBeforeItIsMultiplied) {
  EXPECT_TRUE(check_tables({dense(kDenseNumbersMost, 1, 1)}).ok());
  EXPECT_EQ(check_tables({dense(kDenseNumbersMost, 1, 2)}).what(),
            "table all: 17179869184 rows of 2 numbers are too many for a dense table");
  for (const std::uint64_t keys : {kDenseNumbersMost + 1, std::uint64_t{1} << 63})
    for (const std::uint32_t width : {0U, 1U, 2U, 0xffffffffU})
      EXPECT_FALSE(check_tables({dense(keys, width, 0)}).ok());
}

TEST(Tables, AnAppWithImpossibleOnesEndsTheJob) {
  struct Impossible final : App {
    std::vector<std::unique_ptr<Push>> load(std::span<const ShardId>) override { return {}; }
    std::vector<Table> tables(const Facts& facts) const override { return {dense(facts.count("rows"), 1, 1)}; }
    std::unique_ptr<Schedule> schedule(const Facts&, Share) const override { return nullptr; }
  };
  Facts facts;
  facts.add("rows", 7);
  EXPECT_EQ(tables_of(Impossible(), facts).size(), 1U);
  facts.add("rows", 0x1p50);
  EXPECT_THROW(tables_of(Impossible(), facts), std::runtime_error);
}

}  // namespace
}  // namespace rota
