#include "core/job/tables.h"

#include "rota/error.h"
#include "tests/unit/core/job/empty_app.h"

namespace rota {
namespace {

Table dense(std::uint64_t keys, std::uint32_t row_width, std::uint32_t part_width) {
  Table table{"all", Table::Kind::shared, keys, row_width, part_width};
  table.dense = true;
  return table;
}

TEST(Tables, ValidTablesAreAccepted) {
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

TEST(Tables, ATableLargerThanMemoryIsRefused) {
  EXPECT_TRUE(check_tables({dense(kDenseNumbersMost, 1, 1)}).ok());
  EXPECT_EQ(check_tables({dense(kDenseNumbersMost, 1, 2)}).what(),
            "table all: 17179869184 rows of 2 numbers are too many for a dense table");
  for (const std::uint64_t keys : {kDenseNumbersMost + 1, std::uint64_t{1} << 63})
    for (const std::uint32_t width : {0U, 1U, 2U, 0xffffffffU})
      EXPECT_FALSE(check_tables({dense(keys, width, 0)}).ok());
}

TEST(Tables, AStartedTableHasAllItsRows) {
  Table table{"all", Table::Kind::shared, kDenseNumbersMost + 1, 1, 1};
  table.started = true;
  EXPECT_EQ(check_tables({table}).what(), "table all: 17179869185 rows of 1 numbers are too many for a started table");
  table.kind = Table::Kind::sliced;
  EXPECT_EQ(check_tables({table}).what(), "table all: a sliced table cannot be started");
}

TEST(Tables, StartingRowsDependOnTheirNamesAlone) {
  struct Starting final : tests::EmptyApp {
    void start_row(const Facts&, TableId, Key key, std::span<double> row, Random& random) const override {
      row[0] += random.uniform();
      row[1] = key == 3 ? bad : 1;
    }
    double bad = 1;
  };
  Starting app;
  std::vector<Table> tables = {{"zeros", Table::Kind::shared, 9, 2, 2}, {"some", Table::Kind::shared, 4, 2, 2}};
  tables[1].started = true;
  const auto rows = [&](std::uint64_t seed) {
    std::vector<double> all;
    for_each_starting_row(app, Facts(), tables, seed, [&](TableId table, Key key, std::span<const double> row) {
      EXPECT_EQ(table, 1U);
      EXPECT_EQ(key, all.size());
      all.push_back(row[0]);
    });
    return all;
  };
  EXPECT_EQ(rows(5).size(), 4U);
  EXPECT_EQ(rows(5), rows(5));
  EXPECT_NE(rows(5), rows(6));
  EXPECT_NE(rows(5)[0], rows(5)[1]);
  app.bad = std::numeric_limits<double>::infinity();
  EXPECT_THROW(rows(5), std::runtime_error);
}

TEST(Tables, AnAppWithInvalidTablesEndsTheJob) {
  struct Impossible final : tests::EmptyApp {
    std::vector<Table> tables(const Facts& facts) const override { return {dense(facts.count("rows"), 1, 1)}; }
  };
  Facts facts;
  facts.add("rows", 7);
  EXPECT_EQ(tables_of(Impossible(), {}, facts).size(), 1U);
  facts.add("rows", 0x1p50);
  EXPECT_THROW(tables_of(Impossible(), {}, facts), std::runtime_error);
}

// All of it was allocated before it was checked.
TEST(Tables, AModelLargerThanMemoryIsRefused) {
  struct Factors final : tests::EmptyApp {
    std::vector<Table> tables(const Facts& facts) const override {
      Table rows = dense(facts.count("rows"), 1000, 1000);
      rows.sized_by = "rank";
      return {rows, {.name = "slices", .kind = Table::Kind::sliced, .memory = 4e6}};
    }
  };
  Facts facts;
  facts.add("rows", 1000);
  Job job;
  job.options = Options({{"workers", "2"}, {"rank", "1000"}});
  // A view of 8 MB, half of the store, and half of the slices.
  for (const std::uint64_t enough : {0, 14'000'000}) {
    job.memory = enough;
    EXPECT_EQ(tables_of(Factors(), job, facts).size(), 2U) << enough;
  }
  job.memory = 13'999'999;
  try {
    tables_of(Factors(), job, facts);
    ADD_FAILURE() << "was not refused";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "--rank=1000: the model takes about 0.014 GB of each worker's memory, 85 % of it for table all, and "
                 "this machine has 0.014 GB for each of 2: choose less, or --memory=unchecked");
  }
}

}  // namespace
}  // namespace rota
