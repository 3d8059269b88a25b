#include "apps/linear_models/row_stream.h"

#include "rota/error.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::linear {
namespace {

class LinearStream : public testing::Test {
 protected:
  void SetUp() override {
    std::string text;
    for (int i = 0; i < 50; ++i) text += (i % 3 == 0 ? "7 1:" : "3 2:") + std::to_string(i + 1) + "\n";
    files_ = {scratch_.write("rows", text)};
    settings_.stream = true;
    settings_.intercept = false;
    RowsRead data = read_data(files_, {}, settings_, 3, shards_, false);
    facts_ = facts_for(settings_, data.facts, files_.front());
    data_ = std::move(data.hosted);
  }
  RowStream stream(std::size_t shard) {
    return {files_, settings_, facts_, 3, static_cast<ShardId>(shard), data_[shard].streamed};
  }
  // The values of rows that have one entry each.
  static std::vector<double> values_of(const ShardRows& rows) {
    std::vector<double> out;
    for (std::size_t r = 0; r < rows.rows.size(); ++r)
      out.push_back(rows.targets[r] * static_cast<double>(rows.rows[r][0].value));
    return out;
  }

  tests::ScratchFiles scratch_;
  std::vector<std::string> files_;
  RowOptions settings_;
  std::vector<ShardId> shards_ = {0, 1, 2};
  DataFacts facts_;
  std::vector<RowData> data_;
};

TEST_F(LinearStream, ShardsHaveAllRowsOnceAndKeepNone) {
  EXPECT_EQ(facts_.rows, 50U);
  EXPECT_EQ(facts_.keys, 3U);
  std::vector<double> seen;
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_EQ(data_[s].training.rows.size(), 0U);
    stream(s).read([](std::uint64_t) { return 4; },
                   [&](ShardRows&& rows) {
                     EXPECT_LE(rows.rows.size(), 4U);
                     for (const double value : values_of(rows)) seen.push_back(value);
                   });
  }
  ASSERT_EQ(seen.size(), 50U);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i % 3 == 0 ? i + 1 : -(i + 1));
}

// Passes follow each other, and every piece has the rows of its number; there may be more pieces than rows.
TEST_F(LinearStream, PiecesComeInTheirOrderAgainAndAgain) {
  for (const std::uint64_t pieces : {1U, 3U, 40U}) {
    const RowStream rows = stream(1);
    ReadAhead ahead(rows, pieces);
    std::vector<std::vector<double>> first;
    for (int pass = 0; pass < 3; ++pass)
      for (std::uint64_t i = 0; i < pieces; ++i) {
        const std::vector<double> values = values_of(ahead.next());
        EXPECT_EQ(values.size(),
                  ReadAhead::begin_of(i + 1, pieces, rows.rows()) - ReadAhead::begin_of(i, pieces, rows.rows()));
        if (pass == 0)
          first.push_back(values);
        else
          EXPECT_EQ(values, first[i]);
      }
  }
}

TEST_F(LinearStream, ItEndsWithItsReader) {
  const RowStream rows = stream(0);
  { const ReadAhead ahead(rows, 5); }
  ReadAhead ahead(rows, 5);
  EXPECT_EQ(ahead.next().rows.size(), rows.rows() / 5);
}

TEST_F(LinearStream, OtherRowsThanBeforeAreReported) {
  const RowStream rows = stream(0);
  std::ofstream(files_[0]) << "7 1:1\n3 2:2\n";
  ReadAhead ahead(rows, 1);
  EXPECT_NE(tests::message_of<DataError>([&] { ahead.next(), ahead.next(); }).find("has changed"), std::string::npos);
  std::string many;
  for (int i = 0; i < 900; ++i) many += "3 1:1\n";
  std::ofstream(files_[0]) << many;
  EXPECT_THROW(rows.read([](std::uint64_t) { return 1000; }, [](ShardRows&&) {}), DataError);
}

}  // namespace
}  // namespace rota::linear
