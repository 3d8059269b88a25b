#include "io/vw_rows.h"

namespace rota::io {
namespace {

struct VwLine {
  double label = 0, importance = 1;
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
};

VwLine line(const std::string& text) {
  VwRows rows;
  LibsvmSize size;
  EXPECT_EQ(rows.parse("\n" + text + "\n", size), std::nullopt) << text;
  EXPECT_EQ(size.lines, 2U);
  const std::size_t count = rows.ends()[0];
  return {rows.labels()[0],
          rows.weights()[0],
          {rows.columns(), rows.columns() + count},
          {rows.values(), rows.values() + count}};
}

std::string wrong(const std::string& text) {
  VwRows rows;
  LibsvmSize size;
  const auto error = rows.parse("1 | a\n" + text, size);
  EXPECT_EQ(error->lines_before, 1U);
  return error->what;
}

TEST(VwText, LabelImportanceAndTagStandBeforeTheBar) {
  EXPECT_EQ(line("-1 | a").label, -1);
  EXPECT_EQ(line("-1 | a").importance, 1);
  EXPECT_EQ(line("1 0.5 'tag| a").importance, 0.5);
  EXPECT_EQ(line("1 0.5 tag| a").importance, 0.5) << "a word next to the bar is a tag";
  EXPECT_EQ(line("1 2.5 |f a").importance, 2.5);
  EXPECT_EQ(line("1 'tag |f a").label, 1);
  EXPECT_EQ(line("3 |").columns.size(), 0U);
}

TEST(VwText, FeaturesAreTheirNamesInTheirNamespaces) {
  const VwLine one = line("1 |f a:2 b |g a:3");
  ASSERT_EQ(one.columns.size(), 3U);
  EXPECT_TRUE(std::is_sorted(one.columns.begin(), one.columns.end()));
  double sum = 0;
  for (const double value : one.values) sum += value;
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(line("1 |f b |g a:3 |f a:2").columns, one.columns);
  EXPECT_EQ(line("1 |f:0.5 a:4 b:2 |g a:3").values, one.values) << "a namespace scales its values";
  EXPECT_NE(line("1 |f a").columns, line("1 |g a").columns);
  EXPECT_NE(line("1 | a").columns, line("1 |f a").columns);
  EXPECT_EQ(line("1 | a a:2").values, std::vector<double>{3});
  EXPECT_EQ(line("1 | a a:-1 b").values, std::vector<double>{1}) << "none is 0";
  EXPECT_EQ(line("1 |f a:2 b |g a:3\r").columns, one.columns);
}

TEST(VwText, ErrorsAreReported) {
  EXPECT_EQ(wrong("1 a b"), "expected a bar, |, before the features");
  EXPECT_EQ(wrong("| a"), "expected a label and a blank after it");
  EXPECT_EQ(wrong("'tag | a"), "expected a label and a blank after it");
  EXPECT_EQ(wrong("x | a"), "expected a label, found 'x'");
  EXPECT_EQ(wrong("1 -2 | a"), "expected an importance, a number of at least 0, found '-2'");
  EXPECT_EQ(wrong("1 2 3 | a"), "expected label, importance and tag at most before the first bar");
  EXPECT_EQ(wrong("1 | a:x"), "expected a number after the colon, found 'a:x'");
  EXPECT_EQ(wrong("1 |f:x a"), "expected a number after the colon, found 'f:x'");
}

}  // namespace
}  // namespace rota::io
