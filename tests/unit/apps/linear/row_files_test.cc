#include "apps/linear/row_files.h"

#include "apps/linear/class_labels.h"
#include "rota/error.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::linear {
namespace {

using RowFilesTest = tests::WithFiles;

TEST_F(RowFilesTest, GiveTheRowsOfAllFilesInTurn) {
  const std::vector<std::string> paths = {files.write("a", "1 2:3 5:0\n\n-1.5 1:4\n"), files.write("b", "7 9:1\n")};
  RowFiles input(paths);
  std::string seen;
  for (int again = 0; again < 2; ++again) {
    seen.clear();
    input.each([&](const LabelledRow& row) {
      seen += std::to_string(row.number) + " " + io::exact_text(row.label);
      for (std::size_t i = 0; i < row.columns.size(); ++i)
        seen += " " + std::to_string(row.columns[i]) + "=" + io::exact_text(row.values[i]);
      seen += ";";
    });
  }
  EXPECT_EQ(seen, "0 1 1=3;1 -1.5 0=4;2 7 8=1;");
  EXPECT_EQ(input.rows(), 3U);
  EXPECT_EQ(input.columns(), 9U);
}

TEST_F(RowFilesTest, NameTheLineOfWhatIsWrong) {
  const std::vector<std::string> bad = {files.write("bad", "1 1:1\n1 1:x\n")}, none = {"/nowhere/at/all"};
  EXPECT_NE(tests::message_of<DataError>([&] { RowFiles(bad).each([](const LabelledRow&) {}); }).find("bad:2: "),
            std::string::npos);
  EXPECT_THROW(RowFiles(none).each([](const LabelledRow&) {}), NoInput);
  const std::vector<std::string> paths = {files.write("rows", "1 1:1\n# a comment\n\n2 1:1\n3 1:1\n")};
  RowFiles input(paths);
  const auto refuse_two = [&] {
    input.each([&](const LabelledRow& row) {
      if (row.label == 2) input.fail("no two");
    });
  };
  EXPECT_EQ(tests::message_of<DataError>(refuse_two), paths[0] + ":4: no two");
}

TEST(ClassLabels, AreAscendingAndEachOnce) {
  ClassLabels classes({3, -1, 3});
  classes.add(0.5);
  classes.add(-1);
  EXPECT_EQ(classes.all(), (std::vector<double>{-1, 0.5, 3}));
  EXPECT_EQ(classes.find(3), 2U);
  EXPECT_EQ(classes.find(2), std::nullopt);
  EXPECT_EQ(classes.text(), "-1, 0.5 and 3");
}

TEST_F(RowFilesTest, SectionsAreAllRowsOnce) {
  std::string one, other;
  for (int i = 0; i < 40; ++i) (i < 25 ? one : other) += std::to_string(i) + " 1:" + std::to_string(i * i + 1) + "\n";
  const std::vector<std::string> paths = {files.write("one", one), files.write("other", "\n# nothing\n" + other)};
  for (const std::uint32_t sections : {1U, 2U, 7U, 400U}) {
    RowFiles input(paths);
    std::vector<double> seen;
    std::uint64_t most = 0;
    for (std::uint32_t s = 0; s < sections; ++s) {
      input.each_of(s, sections, [&](const LabelledRow& row) { seen.push_back(row.label); });
      most = std::max(most, input.rows());
    }
    ASSERT_EQ(seen.size(), 40U) << sections;
    for (int i = 0; i < 40; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
    EXPECT_LE(most, 40 / sections + 5);
  }
}

TEST_F(RowFilesTest, AWrongLineOfASectionIsNamedByItsNumberInTheFile) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += i == 27 ? "1 1:x\n" : "1 1:1\n";
  const std::vector<std::string> bad = {files.write("bad", text)};
  const auto message = [&](const RowFiles::Take& take) {
    return tests::message_of<DataError>([&] {
      RowFiles input(bad);
      for (std::uint32_t s = 0; s < 4; ++s)
        input.each_of(s, 4, [&](const LabelledRow& row) { s == 2 ? take(row) : void(); });
    });
  };
  EXPECT_NE(message([](const LabelledRow&) {}).find("bad:28: "), std::string::npos);
  const std::string refused = tests::message_of<DataError>([&] {
    RowFiles input(bad);
    input.each_of(1, 4, [&](const LabelledRow& row) {
      if (row.number == 2) input.fail("too much");
    });
  });
  EXPECT_NE(refused.find("bad:11: too much"), std::string::npos) << refused;
}

TEST_F(RowFilesTest, ReadVowpalWabbitsText) {
  const std::vector<std::string> paths = {files.write("vw", "1 2 |f a:3 b\n\n-1 |f b:0.5\n")};
  RowFiles input(paths, RowFormat::vw);
  std::vector<LabelledRow> rows;
  std::vector<std::vector<double>> values;
  std::vector<std::uint32_t> last;
  input.each([&](const LabelledRow& row) {
    rows.push_back(row);
    values.emplace_back(row.values.begin(), row.values.end());
    last.assign(row.columns.begin(), row.columns.end());
  });
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].weight, 2);
  EXPECT_EQ(rows[1].weight, 1);
  EXPECT_EQ(values[0].size(), 2U);
  EXPECT_EQ(values[1], std::vector<double>{0.5});
  const std::vector<std::string> bad = {files.write("bad", "1 | a\n\n2 a\n")};
  EXPECT_NE(tests::message_of<DataError>([&] {
              RowFiles(bad, RowFormat::vw).each([](const LabelledRow&) {});
            }).find("bad:3: expected a bar"),
            std::string::npos);
}

}  // namespace
}  // namespace rota::linear
