#include "rota/utf8.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

TEST(Utf8, TextThatIsUtf8StaysAsItIs) {
  for (const std::string text : {"", "plain", "two\nlines\ttab", "Straße 日本 🎡"}) {
    EXPECT_TRUE(is_utf8(text));
    EXPECT_EQ(visible_text(text), text);
  }
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
