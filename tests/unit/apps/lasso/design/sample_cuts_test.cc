// tests/unit/apps/lasso/design/sample_cuts_test.cc -- the sample of rows is the same in all ways of reading.
#include "apps/lasso/design/sample_cuts.h"

#include "tests/unit/io/scratch_files.h"

namespace rota::linear {
namespace {

std::string random_text(std::uint64_t seed, std::size_t bytes, std::uint64_t longest_row) {
  std::mt19937_64 random(seed);
  std::string text;
  while (text.size() < bytes) {
    if (random() % 10 == 0) text += random() % 2 == 0 ? "\n" : "# " + std::string(random() % 9000, 'x') + "\n";
    text += "1";
    std::uint64_t column = 0;
    for (std::uint64_t entries = random() % longest_row; entries > 0; --entries)
      text += " " + std::to_string(column += 1 + random() % 50) + ":1";
    text += "\n";
  }
  return text;
}

std::vector<std::uint32_t> columns_in(const ColumnSample& sample) {
  std::vector<std::uint32_t> columns;
  sample.append_to(columns);
  return columns;
}

// As for a file that is decompressed: its size is not known before its end.
ColumnSample sample_on_the_way(const io::TextFile& file) {
  ColumnSample sample;
  io::LibsvmRows rows;
  io::LibsvmSize size;
  io::LineBlocks blocks = file.all_lines();
  std::uint64_t at = 0;
  for (std::string_view block; blocks.next(block);) {
    EXPECT_FALSE(rows.parse(block, {}, size));
    sample.add(at, rows);
    at += block.size();
    if (sample_stride(at) > sample.stride()) sample.coarsen(sample_stride(at));
  }
  return sample;
}

using ColumnSampleTest = rota::tests::WithFiles;

TEST_F(ColumnSampleTest, OfAFewPlacesIsThatOfTheWholeText) {
  for (const std::size_t bytes : {1UL, 500UL, 30'000UL, 700'000UL, 5'000'000UL, 9'000'000UL})
    for (const std::uint64_t longest_row : {1UL, 30UL, 9000UL, 90'000UL}) {
      const io::TextFile file(files.write("text", random_text(bytes + longest_row, bytes, longest_row)));
      const ColumnSample few = sample_columns(file, sample_stride(file.size())), all = sample_on_the_way(file);
      EXPECT_EQ(few.stride(), all.stride());
      EXPECT_EQ(columns_in(few), columns_in(all)) << bytes << " " << longest_row;
      ColumnSample coarser = all;
      coarser.coarsen(4 * all.stride());
      EXPECT_EQ(columns_in(sample_columns(file, 4 * all.stride())), columns_in(coarser)) << bytes << " " << longest_row;
    }
}

TEST_F(ColumnSampleTest, IsSmall) {
  const io::TextFile file(files.write("text", random_text(1, 20'000'000, 30)));
  const std::size_t sampled = columns_in(sample_columns(file, sample_stride(file.size()))).size();
  EXPECT_GT(sampled, 10'000U);
  EXPECT_LT(sampled, 500'000U);
}

TEST_F(ColumnSampleTest, EndsWhereTheTextIsWrong) {
  const io::TextFile file(files.write("text", "1 1:1\n1 x\n1 2:1\n"));
  EXPECT_LE(columns_in(sample_columns(file, 1)).size(), 1U);
}

TEST(CutColumns, GivesEachShardItsShareOfTheSample) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::uint32_t> sample(random() % 2000);
    const std::uint64_t range = 1 + random() % 3000;
    for (std::uint32_t& column : sample) column = static_cast<std::uint32_t>(random() % range);
    const auto shards = static_cast<std::uint32_t>(1 + random() % 40);
    const std::vector<std::uint64_t> cuts = cut_columns(sample, shards);
    ASSERT_EQ(cuts.size(), shards);
    std::sort(sample.begin(), sample.end());
    for (std::uint32_t s = 0; s < shards; ++s)
      ASSERT_EQ(cuts[s], s == 0 || sample.empty() ? 0 : sample[sample.size() * s / shards]) << s;
  }
}

}  // namespace
}  // namespace rota::linear
