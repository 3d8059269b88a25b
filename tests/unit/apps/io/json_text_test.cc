#include "rota/io/json_text.h"

namespace rota::io {
namespace {

TEST(JsonText, EscapesWhatJsonMustNotHave) {
  EXPECT_EQ(json_text(""), "\"\"");
  EXPECT_EQ(json_text("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json_text("a\x01\n"), R"("a\u0001\u000a")");
  EXPECT_EQ(json_text("Straße 日本"), "\"Straße 日本\"");
}

TEST(JsonText, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(json_text("a\xff z"), R"("a\ufffd z")");
  EXPECT_EQ(json_text("\xc3"), R"("\ufffd")");
  EXPECT_EQ(json_text("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");
}

}  // namespace
}  // namespace rota::io
