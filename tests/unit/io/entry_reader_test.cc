// tests/unit/io/entry_reader_test.cc -- text and MatrixMarket; tests/system/pagerank_oracle_test.py has all formats.
#include "rota/io/entry_reader.h"

#include "rota/error.h"
#include "tests/unit/io/compressed.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::io {
namespace {

using tests::message_of;
using Separator = EntryForm::Separator;
using Header = EntryForm::Header;
using Entries = std::vector<std::string>;

class EntryReaderTest : public tests::WithFiles {
 protected:
  // "first|second|value|time" of every entry.
  Entries read(const std::string& text, const EntryForm& form = {}, const std::string& name = "entries") {
    const std::unique_ptr<EntryReader> reader = read_entries(files.write(name, text), form);
    Entries out;
    for (Entry entry; reader->next(entry);)
      out.push_back(std::string(entry.first) + "|" + std::string(entry.second) + "|" + std::string(entry.value) + "|" +
                    std::string(entry.time));
    header_ = reader->header();
    return out;
  }
  std::string error(const std::string& text, const EntryForm& form = {}, const std::string& name = "entries") {
    return message_of<DataError>([&] { read(text, form, name); });
  }

  const EntryForm ratings_{.fewest = 3, .expected = "a user, an item and a rating"};
  const EntryForm edges_{.expected = "two nodes", .words = true};
  std::string header_;
};

TEST_F(EntryReaderTest, SeparatorsAreFound) {
  const Entries wanted = {"a|b|1.5|", "c d|e|-2|77"};
  EXPECT_EQ(read("a::b::1.5\nc d::e::-2::77::x\n", ratings_), wanted);
  EXPECT_EQ(read("a\tb\t1.5\nc d\te\t-2\t77\n", ratings_), wanted);
  EXPECT_EQ(read("a,b,1.5\nc d,e,-2,77\n", ratings_), wanted);
  EXPECT_EQ(read("a;b;1.5\nc d; e ;-2;77\n", ratings_), wanted);
  EXPECT_EQ(read("a  b\t1.5 \r\n c b 2e1 9", ratings_), (Entries{"a|b|1.5|", "c|b|2e1|9"}));
  EXPECT_EQ(read("a:1 b,2 3\n", {.separator = Separator::blanks}), Entries{"a:1|b,2|3|"});
  EXPECT_EQ(read(tests::gzipped("a b\n"), {}, "entries.gz"), Entries{"a|b||"});
}

TEST_F(EntryReaderTest, WordsAreSeparatedByBlanksIfThereAreAny) {
  EXPECT_EQ(read("a,b c\nd e 2\n", edges_), (Entries{"a,b|c||", "d|e|2|"}));
  EXPECT_EQ(read("from to x\n", edges_), Entries{"from|to|x|"});
  EXPECT_EQ(read("a,b\nd e,f\n", edges_), (Entries{"a|b||", "d e|f||"}));
  EXPECT_EQ(read("a d,b\nd e,f\n", edges_, "a.csv"), (Entries{"a d|b||", "d e|f||"}));
  EXPECT_EQ(read("a d\tb\nd e\tf\n", edges_, "a.tsv"), (Entries{"a d|b||", "d e|f||"}));
}

TEST_F(EntryReaderTest, HeadersCommentsAndEmptyLines) {
  EXPECT_EQ(read("# who, what, how much\n\nuserId,movieId,rating\n# more\n1,2,3\n"), Entries{"1|2|3|"});
  EXPECT_EQ(header_, "userId,movieId,rating");
  EXPECT_EQ(read("from,to\na,b\n", edges_), Entries{"a|b||"});
  EXPECT_EQ(read("1,2,3\n", {.header = Header::yes}), Entries{});
  EXPECT_EQ(read("from,to,x\n", {.header = Header::no}), Entries{"from|to|x|"});
  for (const char* value : {"nan", "-NaN", "inf", "+Infinity", "x1"})
    EXPECT_EQ(read(std::string("1 1 ") + value + "\n").size(), 1U) << value;
}

TEST_F(EntryReaderTest, ColumnsHaveNamesOrNumbers) {
  const std::string table = "time,item,\"who, then\",stars\n9,b,\"a \"\"x\"\"\",5\n8,d,c,4\n";
  EXPECT_EQ(read(table, {.columns = "3,item,stars,1"}), (Entries{"a \"x\"|b|5|9", "c|d|4|8"}));
  EXPECT_EQ(read("w u i\n0.5 a b\n", {.columns = "u,i,w", .words = true}), Entries{"a|b|0.5|"});
  EXPECT_EQ(read("9 a b 1\n8 c d 2\n", {.columns = "2,3"}), (Entries{"a|b||", "c|d||"}));
  EXPECT_NE(error("u,i\n1,2\n", {.columns = "u,x"}).find("entries:1: there is no column 'x'; there are 2: u, i"),
            std::string::npos);
  EXPECT_NE(error("1,2\n", {.header = Header::no, .columns = "u,i"}).find("without names"), std::string::npos);
  EntryForm few = ratings_;
  few.columns = "1,2";
  EXPECT_THROW(read("1,2,3\n", few), UsageError);
}

TEST_F(EntryReaderTest, QuotationMarksAsInCsv) {
  EXPECT_EQ(read("\"a, b\",\"say \"\"x\"\"\",3\n \"c\" ,d\"e,1\n"), (Entries{"a, b|say \"x\"|3|", "c|d\"e|1|"}));
  EXPECT_NE(error("a,b,1\n\"\",c,1\n").find("entries:2: expected two names"), std::string::npos);
  EXPECT_NE(error("a,b,1\n\"b,c,1\n").find("entries:2: expected two names"), std::string::npos);
}

TEST_F(EntryReaderTest, MatrixMarketHasNumbersAsNames) {
  const std::string banner = "%%MatrixMarket matrix coordinate ";
  EXPECT_EQ(read(banner + "real general\n2 3 2\n2 3 0.5\n1 1 1e30\n"), (Entries{"2|3|0.5|", "1|1|1e+30|"}));
  EXPECT_EQ(read(banner + "pattern symmetric\n3 3 2\n3 1\n2 2\n"), (Entries{"3|1||", "1|3||", "2|2||"}));
  EXPECT_NE(error("%%MatrixMarket matrix array real general\n1 1\n1\n").find("entries:2: expected a 'coordinate' file"),
            std::string::npos);
  EXPECT_THROW(read(banner + "real general\n1 1 0\n", {.header = Header::no}), UsageError);
  EXPECT_THROW(read(banner + "real general\n1 1 0\n", {.columns = "1,2"}), UsageError);
}

TEST_F(EntryReaderTest, WhatIsWrongIsReportedWithItsLine) {
  EXPECT_NE(error("a b 1\na b\n", ratings_).find("entries:2: expected a user, an item and a rating, found 'a b'"),
            std::string::npos);
  for (const char* text : {"a\n", "a,,1\n"})
    EXPECT_NE(error(text).find("entries:1: expected two names, found '"), std::string::npos) << text;
  EXPECT_NE(error("a,b,1\n,b,1\n").find("entries:2:"), std::string::npos);
  const auto reader = read_entries(files.write("good", "\na b\n"), {});
  Entry entry;
  reader->next(entry);
  EXPECT_EQ(entry.line, "a b");
  EXPECT_NE(message_of<DataError>([&] { reader->fail("why"); }).find("good:2: why"), std::string::npos);
  EXPECT_THROW(read_entries((files.folder() / "none").string(), {}), NoInput);
}

}  // namespace
}  // namespace rota::io
