#include "apps/linear/row_files.h"

#include <gtest/gtest.h>

#include "apps/linear/class_labels.h"
#include "rota/error.h"
#include "tests/unit/apps/io/scratch_files.h"

namespace rota::linear {
namespace {

TEST(RowFiles, GiveTheRowsOfAllFilesInTurn) {
  tests::ScratchFiles files;
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

TEST(RowFiles, NameTheLineOfWhatIsWrong) {
  tests::ScratchFiles files;
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

}  // namespace
}  // namespace rota::linear
