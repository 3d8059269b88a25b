#include "rota/io/row_files.h"

#include "rota/error.h"
#include "rota/io/number_text.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::io {
namespace {

using tests::message_of;
using RowFilesTest = tests::WithFiles;

TEST_F(RowFilesTest, GiveTheRowsOfAllFilesInTurn) {
  RowFiles input({files.write("a", "1 2:3 5:0\n\n-1.5 1:4\n"), files.write("b", "7 9:1\n")});
  std::string seen;
  for (LabelledValues row; input.next(row);) {
    seen += exact_text(row.label);
    for (std::size_t i = 0; i < row.columns.size(); ++i)
      seen += " " + std::to_string(row.columns[i]) + "=" + exact_text(row.values[i]);
    seen += ";";
  }
  EXPECT_EQ(seen, "1 1=3;-1.5 0=4;7 8=1;");
  EXPECT_EQ(input.rows(), 3U);
  EXPECT_EQ(input.columns(), 9U);
}

std::string error_of_row(const std::string& path, double label, std::optional<Section> section = std::nullopt) {
  return message_of<DataError>([&] {
    RowFiles input = section ? RowFiles({path}, {}, *section) : RowFiles({path});
    for (LabelledValues row; input.next(row);)
      if (row.label == label) input.fail("refused");
  });
}

TEST_F(RowFilesTest, NameTheLineOfWhatIsWrong) {
  const std::string rows = files.write("rows", "1 1:1\n# a comment\n\n2 1:1\n3 1:1\n");
  EXPECT_EQ(error_of_row(rows, 2), rows + ":4: refused");
  EXPECT_NE(error_of_row(files.write("bad", "1 1:1\n1 1:x\n"), 2).find("bad:2: "), std::string::npos);
  EXPECT_THROW(RowFiles({"/nowhere/at/all"}).next(*std::make_unique<LabelledValues>()), NoInput);
}

TEST_F(RowFilesTest, SectionsAreAllRowsOnce) {
  std::string one, other;
  for (int i = 0; i < 40; ++i) (i < 25 ? one : other) += std::to_string(i) + " 1:" + std::to_string(i * i + 1) + "\n";
  const std::vector<std::string> paths = {files.write("one", one), files.write("other", "\n# nothing\n" + other)};
  for (const std::uint32_t sections : {1U, 2U, 7U, 400U}) {
    std::vector<double> seen;
    for (std::uint32_t s = 0; s < sections; ++s) {
      RowFiles input(paths, {}, Section{s, sections});
      for (LabelledValues row; input.next(row);) seen.push_back(row.label);
      EXPECT_LE(input.rows(), 40 / sections + 5);
    }
    ASSERT_EQ(seen.size(), 40U) << sections;
    for (int i = 0; i < 40; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
  }
}

TEST_F(RowFilesTest, AWrongLineOfASectionIsNamedByItsNumberInTheFile) {
  std::string text;
  for (int i = 1; i <= 30; ++i) text += i == 28 ? "1 1:x\n" : std::to_string(i) + " 1:1\n";
  const std::string bad = files.write("bad", text);
  EXPECT_EQ(error_of_row(bad, 11, Section{1, 4}), bad + ":11: refused");
  EXPECT_NE(error_of_row(bad, 0, Section{3, 4}).find("bad:28: "), std::string::npos);
}

TEST_F(RowFilesTest, OnlyPlainLinesHaveSections) {
  const std::string csv = files.write("rows.csv", "x,y\n1,2\n");
  EXPECT_EQ(message_of<UsageError>([&] {
              LabelledValues row;
              RowFiles({csv}, {}, Section{0, 2}).next(row);
            }),
            "--stream reads parts of LIBSVM or Vowpal Wabbit text, and " + csv + " is csv");
}

TEST_F(RowFilesTest, VowpalWabbitsRowsHaveWeights) {
  RowForm form;
  form.format = "vw";
  RowFiles input({files.write("vw", "1 2 |f a:3 b\n\n-1 |f b:0.5\n")}, form);
  LabelledValues row;
  ASSERT_TRUE(input.next(row));
  EXPECT_EQ(row.weight, 2);
  EXPECT_EQ(row.values.size(), 2U);
  ASSERT_TRUE(input.next(row));
  EXPECT_EQ(row.weight, 1);
  EXPECT_FALSE(input.next(row));
}

}  // namespace
}  // namespace rota::io
