#include "rota/io/csv_text.h"

namespace rota::io {
namespace {

TEST(CsvText, FieldsAreQuotedWhereNeeded) {
  EXPECT_EQ(csv_field("a'b;c"), "a'b;c");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("\"x\""), "\"\"\"x\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field(""), "");
}

}  // namespace
}  // namespace rota::io
