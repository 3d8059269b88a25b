#include "rota/io/csv_file.h"

#include "rota/error.h"
#include "tests/unit/io/compressed.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::io {
namespace {

using tests::message_of;

using Records = std::vector<std::vector<std::string>>;

Records records_of(CsvFile file) {
  Records all;
  for (std::vector<std::string_view> fields; file.next(fields);) all.emplace_back(fields.begin(), fields.end());
  return all;
}

using CsvFileTest = tests::WithFiles;

TEST_F(CsvFileTest, OneTableInManyForms) {
  const Records rows = {{"1", "x, y", "2.5"}, {"2", "say \"no\"\nand go", ""}, {"3", "Zürich", "-1e3"}};
  for (const std::string end : {"\n", "\r\n", "\r"})
    for (const std::string sep : {",", ";", "\t", "|"})
      for (const std::string mark : {"", "\xef\xbb\xbf"})
        for (const bool ends : {true, false}) {
          const std::string text = mark + "id" + sep + "\"a text\"" + sep + "value" + end +  //
                                   "1" + sep + "\"x, y\"" + sep + "2.5" + end + end +        //
                                   "2" + sep + "\"say \"\"no\"\"\nand go\"" + sep + end +    //
                                   "\"3\"" + sep + "Zürich" + sep + "-1e3" + (ends ? end + end : "");
          SCOPED_TRACE(text);
          const std::string path = files.write("table.csv", text);
          const CsvFile file(path);
          EXPECT_EQ(file.names(), (std::vector<std::string>{"id", "a text", "value"}));
          EXPECT_EQ(file.columns(), 3U);
          EXPECT_EQ(records_of(CsvFile(path)), rows);
        }
}

TEST_F(CsvFileTest, AHeaderIsARecordThatIsNotAllNumbers) {
  const std::string numbers = files.write("numbers", "1,2\n3,4\n"), names = files.write("names", "1,b\n3,4\n");
  EXPECT_EQ(records_of(CsvFile(numbers)), (Records{{"1", "2"}, {"3", "4"}}));
  EXPECT_EQ(records_of(CsvFile(names)), (Records{{"3", "4"}}));
  EXPECT_EQ(records_of(CsvFile(numbers, {.header = CsvForm::Header::yes})), (Records{{"3", "4"}}));
  EXPECT_EQ(records_of(CsvFile(names, {.header = CsvForm::Header::no})), (Records{{"1", "b"}, {"3", "4"}}));
}

TEST_F(CsvFileTest, TheSeparatorMayBeGiven) {
  const std::string path = files.write("decimals", "a b;c\n1 2;3\n");
  EXPECT_EQ(records_of(CsvFile(path)), (Records{{"1 2", "3"}}));
  EXPECT_EQ(records_of(CsvFile(path, {.separator = ' '})), (Records{{"1", "2;3"}}));
}

TEST_F(CsvFileTest, ColumnsHaveNamesOrNumbers) {
  const CsvFile named(files.write("named", "x,y,y\n1,2,3\n")), numbered(files.write("numbered", "1,2,3\n"));
  EXPECT_EQ(named.column("x"), 0U);
  EXPECT_EQ(named.column("3"), 2U);
  EXPECT_EQ(message_of<DataError>([&] { (void)named.column("y"); }),
            named.file() + ":1: several columns are called 'y'");
  EXPECT_EQ(message_of<DataError>([&] { (void)named.column("z"); }),
            named.file() + ":1: there is no column 'z'; there are 3: x, y, y");
  EXPECT_EQ(numbered.column("2"), 1U);
  for (const char* const none : {"0", "4", "-1", "1x", ""})
    EXPECT_EQ(message_of<DataError>([&] { (void)numbered.column(none); }),
              numbered.file() + ":1: there is no column '" + none + "'; there are 3, without names");
}

TEST_F(CsvFileTest, ErrorsNameTheLineWhereTheRecordBegins) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"", ": the file is empty"},
           {"\n\n", ": the file is empty"},
           {"a,b\n1,2\n1,\"x\ny\"\n1\n", ":5: expected 2 fields, found 1"},
           {"a,b\r1,2\r1,2,3\r", ":3: expected 2 fields, found 3"},
           {"a,b\n1,\"2\n3", ":2: a quotation mark is not closed"},
           {"a,b\n1,\"2\"3\n", ":2: text after a closing quotation mark: inside quotes, it must be doubled"},
           {"a,b\n1,2\nZ\xfcrich,3\n", ":3: the text is not UTF-8: 'Z\\xfcrich3'"},
       }) {
    const std::string path = files.write("wrong.csv", text);
    EXPECT_EQ(message_of<DataError>([&] { records_of(CsvFile(path)); }), path + message);
  }
}

TEST_F(CsvFileTest, AMillionColumnsAndBlocksThatEndAnywhere) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "c" + std::to_string(i) + (i == 999'999 ? "\r\n" : ",");
  for (int i = 0; i < 1'000'000; ++i) text += "\"" + std::to_string(i) + (i == 999'999 ? "\"\r\n" : "\",");
  CsvFile file(files.write("wide.csv.gz", tests::gzipped(text)));
  EXPECT_EQ(file.columns(), 1'000'000U);
  EXPECT_EQ(file.column("c999999"), 999'999U);
  std::vector<std::string_view> fields;
  ASSERT_TRUE(file.next(fields));
  for (std::size_t i = 0; i < fields.size(); i += 997) ASSERT_EQ(fields[i], std::to_string(i));
  EXPECT_FALSE(file.next(fields));
}

}  // namespace
}  // namespace rota::io
