#include "rota/io/category_rows.h"

#include "tests/unit/io/scratch_files.h"

namespace rota::io {
namespace {

using tests::message_of;
using CategoryRowsTest = tests::WithFiles;
using Rows = std::vector<CategoryRow>;

TEST_F(CategoryRowsTest, ValuesAreNumberedAsTheyAreFoundAndDealtByRows) {
  const std::vector<std::string> paths = {files.write("one", "sky,wind\nred,\nblue,low\nred,NA\n"),
                                          files.write("two", "sky,wind\r\n,high\r\nblue,low\r\n")};
  Categories found;
  const ShardId hosted[] = {1, 0};
  auto rows = deal_category_rows(paths, 2, hosted, found);
  EXPECT_EQ(found.columns, (std::vector<std::string>{"sky", "wind"}));
  EXPECT_EQ(found.values, (std::vector<std::vector<std::string>>{{"red", "blue"}, {"low", "high"}}));
  EXPECT_EQ(rows.all()[0], (Rows{{1, 0}, {kMissing, 1}}));
  EXPECT_EQ(rows.all()[1], (Rows{{0, kMissing}, {0, kMissing}, {1, 0}}));

  Categories again;
  const ShardId other[] = {0};
  EXPECT_EQ(deal_category_rows(paths, 2, other, again).all()[0], rows.all()[1]);
  EXPECT_EQ(again.values, found.values);
}

TEST_F(CategoryRowsTest, WrongFilesAreRefused) {
  const auto error = [&](const std::vector<std::string>& texts) {
    std::vector<std::string> paths;
    for (const std::string& text : texts) paths.push_back(files.write("file" + std::to_string(paths.size()), text));
    return message_of<DataError>([&] {
      Categories found;
      const ShardId hosted[] = {0};
      deal_category_rows(paths, 1, hosted, found);
    });
  };
  EXPECT_TRUE(error({"a,b\n1,2\n3\n"}).ends_with("file0:3: 1 fields, but the header has 2"));
  EXPECT_TRUE(error({"a,b\n1,2\n", "a,c\n1,2\n"}).ends_with("file1:1: another header than that of the first file"));
  EXPECT_TRUE(error({"a,b\n1,\n"}).ends_with("file0:1: no value of column 'b'"));
  EXPECT_TRUE(error({"a,b\n"}).ends_with("file0:1: no value of column 'a'"));
}

}  // namespace
}  // namespace rota::io
