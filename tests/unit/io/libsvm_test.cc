// tests/unit/io/libsvm_test.cc -- rows of LIBSVM text, whole or in ranges of columns, and their errors.
#include "rota/io/libsvm.h"

#include "rota/io/decimal.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::io::libsvm {
namespace {

using tests::Wrong;

// The text as LineBlocks gives it: followed by exactly kReadable bytes.
class Block {
 public:
  explicit Block(std::string text) {
    if (!text.ends_with('\n')) text += '\n';
    size_ = text.size();
    bytes_.reset(new char[size_ + kReadable]);
    std::fill_n(bytes_.get(), size_ + kReadable, '\0');
    text.copy(bytes_.get(), size_);
  }
  std::string_view text() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_ = 0;
  std::unique_ptr<char[]> bytes_;
};

struct Read {
  std::string rows;  // "label column:value ... | label ..."
  LibsvmSize size;
  std::optional<WrongLine> wrong;
};

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

Read read(const std::string& text, const ColumnRange& keep = {}, std::uint64_t index_from = 1) {
  Read read;
  LibsvmRows rows(index_from);
  const Block block(text);
  read.wrong = rows.parse(block.text(), keep, read.size);
  std::size_t at = 0;
  for (std::size_t r = 0; r < rows.labels().size(); ++r) {
    read.rows += (r == 0 ? "" : " | ") + text_of(rows.labels()[r]);
    for (; at < rows.ends()[r]; ++at)
      read.rows += " " + std::to_string(rows.columns()[at]) + ":" + text_of(rows.values()[at]);
  }
  return read;
}

LibsvmSize measured(const std::string& text, std::uint64_t index_from = 1) {
  LibsvmSize size;
  EXPECT_EQ(measure_libsvm(Block(text).text(), size, index_from), std::nullopt);
  return size;
}

void expect_same_size(const LibsvmSize& a, const LibsvmSize& b, const std::string& of) {
  EXPECT_EQ(a.lines, b.lines) << of;
  EXPECT_EQ(a.rows, b.rows) << of;
  EXPECT_EQ(a.columns, b.columns) << of;
  EXPECT_EQ(a.entries, b.entries) << of;
  EXPECT_TRUE(std::ranges::equal(a.labels.get(), b.labels.get())) << of;
}

TEST(Libsvm, UsualLines) {
  const Read got = read("1 1:2.5 3:-4\n-1 2:.5\n+1\n0.25 268435456:1e-3\n");
  EXPECT_EQ(got.wrong, std::nullopt);
  EXPECT_EQ(got.rows, "1 0:2.5 2:-4 | -1 1:0.5 | 1 | 0.25 268435455:0.001");
  EXPECT_EQ(got.size.lines, 4U);
  EXPECT_EQ(got.size.rows, 4U);
  EXPECT_EQ(got.size.columns, kMostColumns);
  EXPECT_EQ(got.size.entries, 4U);
  EXPECT_EQ(std::vector<double>(got.size.labels.get().begin(), got.size.labels.get().end()),
            (std::vector<double>{1, -1, 0.25}));
}

TEST(Libsvm, BlanksCommentsAndQidAreSkipped) {
  const std::string plain = "1 0:2.5 2:-4 | -1 1:0.5";
  for (const std::string text :
       {"1 1:2.5 3:-4\r\n-1 2:.5\r\n", "1 1:2.5 3:-4 \n-1 2:.5  \t\n", "  1\t1:2.5   3:-4\n\n \t\r\n-1  2:.5",
        "# head\n1 1:2.5 3:-4 # 5:6\n#\n-1 2:.5#7:8\n # 1 1:1\n", "1 qid:7 1:2.5 3:-4\n-1  qid:x 2:.5 # doc\n",
        "1\v1:2.5\f3:-4\n-1 2:.5\n", "1 1:2.5 2:0 3:-4 4:-0.0\n-1 1:0e5 2:.5\n"}) {
    const Read got = read(text);
    EXPECT_EQ(got.rows, plain) << text;
    expect_same_size(measured(text), got.size, text);
  }
  EXPECT_EQ(read("1 1:2.5 2:0 3:-4 4:-0.0\n-1 2:.5").size.entries, 5U) << "zeros count, though they are not kept";
  EXPECT_EQ(read("1 1:2.5 2:0 3:-4 4:-0.0\n-1 2:.5").size.columns, 4U);
  EXPECT_EQ(read("\n\n").rows, "");
  EXPECT_EQ(read("1 # 1:1").rows, "1");
}

TEST(Libsvm, MeasuringSeesAnIndexThatIsTooLarge) {
  LibsvmSize size;
  const auto wrong = measure_libsvm(Block("1 1:1\n\n1 x\n1 3:1 999999999:1 # x\n1 1:1\n").text(), size);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(wrong->lines_before, 3U);
  EXPECT_EQ(wrong->what, "index 999999999 is beyond the most columns, 268435456");
}

// Indices from zero could not be read.
TEST(Libsvm, IndicesMayCountFromZero) {
  std::string from_0 = "1 0:2.5 2:-4\n2 qid:7 0:1 # 0:1\n-1\n3", from_1 = "1 1:2.5 3:-4\n2 qid:7 1:1 # 1:1\n-1\n3";
  for (int i = 0; i < 300; i += 1 + i % 3) {
    from_0 += " " + std::to_string(i) + ":" + std::to_string(i + 0.5);
    from_1 += " " + std::to_string(i + 1) + ":" + std::to_string(i + 0.5);
  }
  from_0 += "\n1 268435455:1\n", from_1 += "\n1 268435456:1\n";
  for (const ColumnRange range : {ColumnRange{}, ColumnRange{0, 1}, ColumnRange{1, 150}, ColumnRange{150}}) {
    const Read got = read(from_0, range, 0), expected = read(from_1, range);
    ASSERT_EQ(got.wrong, std::nullopt);
    EXPECT_EQ(got.rows, expected.rows);
    expect_same_size(got.size, expected.size, from_0);
  }
  expect_same_size(measured(from_0, 0), measured(from_1), from_0);
  EXPECT_EQ(read("1 0:1 0:2", {}, 0).wrong->what, "index 0 is given twice");
  EXPECT_EQ(read("1 5:1 4:2", {}, 0).wrong->what, "indices must ascend, found 4 after 5");
  EXPECT_EQ(read("1 268435456:1", {}, 0).wrong->what, "index 268435456 is beyond the most columns, 268435456");
}

TEST(Libsvm, WhereRowsBegin) {
  LibsvmRows rows;
  LibsvmSize size;
  const Block block("1 1:1\n\n# x\n  2 1:1\n3\n");
  ASSERT_EQ(rows.parse(block.text(), {}, size), std::nullopt);
  EXPECT_EQ(std::vector<std::size_t>(rows.begins().begin(), rows.begins().end()),
            (std::vector<std::size_t>{0, 11, 19}));
}

class WrongLibsvm : public testing::TestWithParam<Wrong> {};

TEST_P(WrongLibsvm, IsRefusedWithItsLine) {
  for (const std::string before : {"", "1 1:1 2:2\n\n# comment\n"}) {
    const Read got = read(before + GetParam().content + "\n1 1:1\n");
    ASSERT_TRUE(got.wrong.has_value());
    EXPECT_EQ(got.wrong->lines_before, before.empty() ? 0U : 3U);
    EXPECT_EQ(got.wrong->what, GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongLibsvm,
    testing::Values(
        Wrong{"x 1:1", "expected a label (a finite number), found 'x'"},
        Wrong{"1,2 1:1", "expected a label (a finite number), found '1,2'"},
        Wrong{"nan 1:1", "expected a label (a finite number), found 'nan'"},
        Wrong{"1:1", "expected a label (a finite number), found '1:1'"},
        Wrong{"1 5", "expected index:value, found '5'"}, Wrong{"1 1:1 x", "expected index:value, found 'x'"},
        Wrong{"1 0:1", "indices count from 1, found '0:1' (use --index_from=0 if they count from 0)"},
        Wrong{"1 00:1", "indices count from 1, found '00:1' (use --index_from=0 if they count from 0)"},
        Wrong{"1 -1:1", "expected an index, found '-1' in '-1:1'"},
        Wrong{"1 1.0:1", "expected an index, found '1.0' in '1.0:1'"},
        Wrong{"1 :1", "expected an index, found '' in ':1'"},
        Wrong{"1 268435457:1", "index 268435457 is beyond the most columns, 268435456"},
        Wrong{"1 4294967297:1", "index 4294967297 is beyond the most columns, 268435456"},
        Wrong{"1 18446744073709551617:1", "index 18446744073709551617 is beyond the most columns, 268435456"},
        Wrong{"1 2:1 2:1", "index 2 is given twice"}, Wrong{"1 3:1 2:1", "indices must ascend, found 2 after 3"},
        Wrong{"1 2:1 1:1", "indices must ascend, found 1 after 2"},
        Wrong{"1 1:", "expected a finite number, found '' in '1:'"},
        Wrong{"1 1:x", "expected a finite number, found 'x' in '1:x'"},
        Wrong{"1 1:nan", "expected a finite number, found 'nan' in '1:nan'"},
        Wrong{"1 1:-inf", "expected a finite number, found '-inf' in '1:-inf'"},
        Wrong{"1 1:1e999", "expected a finite number, found '1e999' in '1:1e999'"},
        Wrong{"1 1:2:3", "expected a finite number, found '2:3' in '1:2:3'"},
        Wrong{"1 1:1 qid:3", "expected an index, found 'qid' in 'qid:3'"},
        Wrong{std::string("1 1:1\0", 6), "expected a finite number, found '1\\x00' in '1:1\\x00'"},
        Wrong{"1 1: 2", "expected a finite number, found '' in '1:'"}));

// Rows of a matrix as text in many spellings.
std::string random_text(std::mt19937_64& random, bool unusual) {
  std::string text;
  const std::uint64_t rows = random() % 8, columns = 1 + random() % 3000;
  for (std::uint64_t r = 0; r < rows; ++r) {
    if (unusual && random() % 8 == 0) text += random() % 2 == 0 ? "\n" : "# x 5:5\n";
    text += std::to_string(static_cast<int>(random() % 3) - 1);
    if (unusual && random() % 8 == 0) text += " qid:" + std::to_string(random() % 9);
    const std::uint64_t step = 1 + random() % 300;
    for (std::uint64_t c = random() % step; c < columns; c += 1 + random() % step) {
      text += unusual && random() % 16 == 0 ? " \t" : " ";
      text += std::to_string(c + 1) + ":";
      switch (random() % 6) {
        case 0:
          text += "0";
          break;
        case 1:
          text += "1";
          break;
        case 2:
          text += "-" + std::to_string(random() % 1000) + "e-3";
          break;
        default:
          text += "0." + std::to_string(random());
      }
    }
    if (unusual && random() % 8 == 0) text += "  # 1:1";
    text += unusual && random() % 4 == 0 ? "\r\n" : "\n";
  }
  return text;
}

// The part of the rows in the range.
std::string cut(const std::string& rows, const ColumnRange& range) {
  std::string kept, field;
  for (const char c : rows + " ") {
    if (c != ' ') {
      field += c;
      continue;
    }
    const std::size_t colon = field.find(':');
    const std::uint64_t column = colon == field.npos ? 0 : std::stoull(field);
    if (colon == field.npos || (column >= range.first && column < range.end)) kept += (kept.empty() ? "" : " ") + field;
    field.clear();
  }
  return kept;
}

TEST(Libsvm, ARangeOfColumnsIsReadAsIfAllWere) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1500; ++i) {
    const std::string text = random_text(random, i % 2 == 0);
    const Read all = read(text);
    ASSERT_EQ(all.wrong, std::nullopt) << text;
    expect_same_size(measured(text), all.size, text);
    const std::uint64_t a = random() % 3100, b = a + random() % 3100;
    for (const ColumnRange& range :
         {ColumnRange{0, a}, ColumnRange{a, b}, ColumnRange{b, kMostColumns}, ColumnRange{a, a}}) {
      const Read part = read(text, range);
      ASSERT_EQ(part.wrong, std::nullopt) << text;
      ASSERT_EQ(part.rows, cut(all.rows, range)) << text;
      expect_same_size(part.size, all.size, text);
    }
  }
}

TEST(Libsvm, WhatIsWrongAnywhereIsSeenByAReaderOfSomeRange) {
  std::mt19937_64 random(2);
  int wrong = 0;
  for (int i = 0; i < 8000; ++i) {
    std::string text = random_text(random, i % 2 == 0);
    if (text.empty()) continue;
    for (std::uint64_t changes = 1 + random() % 2; changes > 0; --changes)
      text[random() % text.size()] = " \n:.-0123456789ex#"[random() % 18];
    const Read all = read(text);
    const std::uint64_t a = random() % 3100, b = a + random() % 3100;
    int seen = 0;
    std::string joined;
    for (const ColumnRange& range : {ColumnRange{0, a}, ColumnRange{a, b}, ColumnRange{b, kMostColumns}}) {
      const Read part = read(text, range);
      if (part.wrong) {
        ++seen;
      } else if (!all.wrong) {
        ASSERT_EQ(part.rows, cut(all.rows, range)) << text;
      }
    }
    ASSERT_EQ(seen > 0, all.wrong.has_value()) << text << a << " " << b;
    wrong += all.wrong.has_value() ? 1 : 0;
  }
  EXPECT_GT(wrong, 2000);
}

TEST(Libsvm, IndicesThatDoNotAscendAcrossRangesAreSeen) {
  // Both neighbours find the same border between fields, at any position.
  const std::string text = "1 1:1 900:1 5:1 950:1\n";
  int seen = 0;
  for (const ColumnRange& range : {ColumnRange{0, 500}, ColumnRange{500, kMostColumns}})
    seen += read(text, range).wrong ? 1 : 0;
  EXPECT_GT(seen, 0);
}

TEST(Libsvm, RowsAreReplacedByTheNextText) {
  LibsvmRows rows;
  LibsvmSize size;
  const Block small("1 1:1\n2 2:2\n"), large("3 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8\n");
  ASSERT_EQ(rows.parse(small.text(), {}, size), std::nullopt);
  ASSERT_EQ(rows.parse(large.text(), {}, size), std::nullopt);
  EXPECT_EQ(rows.labels().size(), 1U);
  EXPECT_EQ(rows.ends().back(), 8U);
  EXPECT_EQ(size.rows, 3U);
  EXPECT_EQ(size.lines, 3U);
}

}  // namespace
}  // namespace rota::io::libsvm
