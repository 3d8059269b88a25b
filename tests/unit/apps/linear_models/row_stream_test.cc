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
    Job job;
    job.shards = 3;
    job.input = files_;
    auto [facts, data] = read_rows(job, settings_, std::vector<ShardId>{0, 1, 2}, false);
    data_ = std::move(data);
    all_ = std::make_shared<SharedData>(
        SharedData{.rows = facts.rows, .keys = facts.keys, .classes = classes_of(settings_, facts, files_.front())});
  }
  RowStream stream(std::uint32_t shard) { return {files_, {shard, 3}, data_[shard].streamed, settings_, all_}; }
  // The values of rows that have one entry each.
  static std::vector<double> values_of(const ShardRows& rows) {
    std::vector<double> out;
    for (std::size_t r = 0; r < rows.rows.size(); ++r)
      out.push_back(rows.targets[r] * static_cast<double>(rows.rows[r][0].value));
    return out;
  }

  tests::ScratchFiles scratch_;
  std::vector<std::string> files_;
  Settings settings_;
  std::shared_ptr<const SharedData> all_;
  std::vector<RowData> data_;
};

TEST_F(LinearStream, ShardsHaveAllRowsOnceAndKeepNone) {
  EXPECT_EQ(all_->rows, 50U);
  EXPECT_EQ(all_->keys, 3U);
  std::vector<double> seen;
  for (std::uint32_t s = 0; s < 3; ++s) {
    EXPECT_EQ(data_[s].training.rows.size(), 0U);
    const RowStream rows = stream(s);
    StreamReader reader(rows);
    for (std::uint64_t at = 0; at < rows.rows; at += 4)
      for (const double value : values_of(reader.next(std::min<std::uint64_t>(4, rows.rows - at))))
        seen.push_back(value);
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
        EXPECT_EQ(values.size(), rows.rows * (i + 1) / pieces - rows.rows * i / pieces);
        if (pass == 0)
          first.push_back(values);
        else
          EXPECT_EQ(values, first[i]);
      }
  }
}

TEST_F(LinearStream, ItEndsWithItsReader) {
  const RowStream rows = stream(0);
  { ReadAhead(rows, 5).next(); }
  ReadAhead ahead(rows, 5);
  EXPECT_EQ(ahead.next().rows.size(), rows.rows / 5);
}

TEST_F(LinearStream, OtherRowsThanBeforeAreReported) {
  const RowStream rows = stream(0);
  std::ofstream(files_[0]) << "7 1:1\n3 2:2\n";
  ReadAhead ahead(rows, 1);
  EXPECT_NE(tests::message_of<DataError>([&] { ahead.next(), ahead.next(); }).find("has changed"), std::string::npos);
  std::string many;
  for (int i = 0; i < 900; ++i) many += "3 1:1\n";
  std::ofstream(files_[0]) << many;
  EXPECT_THROW(StreamReader(rows).next(rows.rows), DataError);
}

}  // namespace
}  // namespace rota::linear
