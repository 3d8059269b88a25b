#include "rota/utf8.h"

namespace rota {
namespace {

TEST(Utf8, ValidUtf8IsUnchanged) {
  for (const std::string text : {"", "plain", "two\nlines\ttab", "Straße 日本 🎡"}) {
    EXPECT_TRUE(is_utf8(text));
    EXPECT_EQ(visible_text(text), text);
  }
}

// Foreign data, names and flags could set a terminal's title, or hide earlier output.
TEST(Utf8, NothingCommandsATerminal) {
  EXPECT_EQ(visible_text("\x1b[2J\a\r\x7f"), "\\x1b[2J\\x07\\x0d\\x7f");
  EXPECT_EQ(visible_text("\xc2\x9b"
                         "2J \xc2\xa0"),
            "\\xc2\\x9b2J \xc2\xa0")
      << "a control character of Latin-1";
  EXPECT_EQ(without_controls("caf\xe9\x1b[m \x9b\ttab\n"), "caf\xe9\\x1b[m \\x9b\ttab\n");
}

TEST(Utf8, OtherBytesAreShown) {
  EXPECT_EQ(visible_text("caf\xe9 ol\xe9"), "caf\\xe9 ol\\xe9");
  EXPECT_EQ(visible_text("\xc3"), "\\xc3");
  EXPECT_EQ(visible_text("\xc3\xc3\xa9"), "\\xc3é");
  EXPECT_EQ(visible_text("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a surrogate pair";
  EXPECT_EQ(visible_text("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
  EXPECT_FALSE(is_utf8("\xc3"));
  EXPECT_TRUE(is_utf8(visible_text("\xff\xfe\x80")));
}

}  // namespace
}  // namespace rota
