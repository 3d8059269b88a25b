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

TEST(Tables, APluginWithImpossibleOnesEndsTheJob) {
  Plugin plugin;
  EXPECT_TRUE(tables_of(plugin, {}).empty());
  plugin.tables = [](const Job&) { return std::vector{dense(std::uint64_t{1} << 60, 1, 1)}; };
  EXPECT_THROW(tables_of(plugin, {}), std::runtime_error);
}

}  // namespace
}  // namespace rota
