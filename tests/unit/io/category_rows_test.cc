#include "rota/io/category_rows.h"

#include "tests/unit/io/scratch_files.h"

namespace rota::io {
namespace {

using tests::message_of;
using CategoryRowsTest = tests::WithFiles;
using Rows = std::vector<CategoryRow>;

TEST_F(CategoryRowsTest, ValuesAreNumberedAsTheyAreFound) {
  const std::vector<std::string> paths = {files.write("one", "sky,wind\nred,\n\"light, blue\",low\nred,NA\n"),
                                          files.write("two", "sky,wind\r\n,high\r\n\"light, blue\",low\r\n")};
  Rows rows;
  const Categories found = read_category_rows(paths, [&](CategoryRow row) { rows.push_back(std::move(row)); });
  EXPECT_EQ(found.columns, (std::vector<std::string>{"sky", "wind"}));
  EXPECT_EQ(found.values, (std::vector<std::vector<std::string>>{{"red", "light, blue"}, {"low", "high"}}));
  EXPECT_EQ(rows, (Rows{{0, kMissing}, {1, 0}, {0, kMissing}, {kMissing, 1}, {1, 0}}));
}

TEST_F(CategoryRowsTest, WrongFilesAreRefused) {
  const auto error = [&](const std::vector<std::string>& texts) {
    std::vector<std::string> paths;
    for (const std::string& text : texts) paths.push_back(files.write("file" + std::to_string(paths.size()), text));
    return message_of<DataError>([&] { read_category_rows(paths, [](const CategoryRow&) {}); });
  };
  EXPECT_TRUE(error({"a,b\n1,2\n3\n"}).ends_with("file0:3: expected 2 fields, found 1"));
  EXPECT_TRUE(error({"a,b\n1,2\n", "a,c\n1,2\n"}).ends_with("file1:1: another header than that of the first file"));
  EXPECT_TRUE(error({"a,b\n1,\n"}).ends_with("file0:1: no value of column 'b'"));
  EXPECT_TRUE(error({"a,b\n"}).ends_with("file0:1: no value of column 'a'"));
}

TEST_F(CategoryRowsTest, FamiliesAreColumnsWithTheirParents) {
  const std::vector<std::string> columns = {"rain", "sky", "wind"};
  using Families = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(read_families(files.write("net", "sky\nrain wind sky sky\n"), columns), (Families{{0, 1, 2}, {1}, {2}}));
  const auto error = [&](const std::string& text) {
    return message_of<DataError>([&] { (void)read_families(files.write("net", text), columns); });
  };
  EXPECT_TRUE(error("sky\nrain snow\n").ends_with("net:2: no column is named 'snow'"));
  EXPECT_TRUE(error("rain sky\nsky wind\n").ends_with("net:2: expected a node not named before, and its parents"));
}

}  // namespace
}  // namespace rota::io
