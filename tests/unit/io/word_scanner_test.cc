// tests/unit/io/word_scanner_test.cc -- the words of text, its code points, and the words to leave out.
#include "io/word_scanner.h"

#include "io/stop_words.h"
#include "rota/error.h"
#include "rota/utf8.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::io {
namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view text, WordPattern pattern = WordPattern::letters, bool lowercase = true) {
  WordScanner scanner(text, pattern, lowercase);
  Words words;
  std::string_view word;
  while (scanner.next(word)) words.emplace_back(word);
  return words;
}

TEST(WordScanner, WordsAreRunsOfLetters) {
  EXPECT_EQ(words_of("The cat-flap, (3rd) e.g. \"x\"!"), (Words{"the", "cat", "flap", "rd", "e", "g", "x"}));
  EXPECT_EQ(words_of(""), Words{});
  EXPECT_EQ(words_of(" ,.;\t "), Words{});
}

TEST(WordScanner, AnApostropheBelongsBetweenLetters) {
  EXPECT_EQ(words_of("don't 'quoted' dogs' o''clock it’s 'tis"),
            (Words{"don't", "quoted", "dogs", "o", "clock", "it's", "tis"}));
}

TEST(WordScanner, DigitsAndWhiteSpaceIfAsked) {
  EXPECT_EQ(words_of("mp3 2-nd", WordPattern::letters_digits), (Words{"mp3", "2", "nd"}));
  EXPECT_EQ(words_of("C++ can't, A.I.\u00a0x", WordPattern::whitespace, false), (Words{"C++", "can't,", "A.I.", "x"}));
  EXPECT_EQ(words_of("Caf\xe9 r\xf4le", WordPattern::whitespace), (Words{"caf\xe9", "r\xf4le"}));
}

TEST(WordScanner, OtherScripts) {
  EXPECT_EQ(words_of("ÉTÉ ŽIŽKA Łódź ΑΘΉΝΑ МОСКВА Ёж"), (Words{"été", "žižka", "łódź", "αθήνα", "москва", "ёж"}));
  EXPECT_EQ(words_of("日本、東京。"), (Words{"日本", "東京"}));
  EXPECT_EQ(words_of("a—b…c €5 ×"), (Words{"a", "b", "c"}));
  EXPECT_EQ(words_of("Ünder", WordPattern::letters, false), (Words{"Ünder"}));
}

// Letters, marks, digits and punctuation of these scripts were confused, and capitals were kept.
TEST(WordScanner, ScriptsBeyondTheEuropeanOnes) {
  EXPECT_EQ(words_of("ՏՈՒՆ Տուն տուն"), (Words{"տուն", "տուն", "տուն"}));
  EXPECT_EQ(words_of("HỌC học"), (Words{"học", "học"}));
  EXPECT_EQ(words_of("यह हिन्दी है।"), (Words{"यह", "हिन्दी", "है"}));
  EXPECT_EQ(words_of("سلام، عَلَيْكُم؟ می\u200cروم"), (Words{"سلام", "عَلَيْكُم", "می\u200cروم"}));
  EXPECT_EQ(words_of("٣٤ कक्षा १२"), (Words{"कक्षा"}));
  EXPECT_EQ(words_of("٣٤ कक्षा१२", WordPattern::letters_digits), (Words{"٣٤", "कक्षा१२"}));
  EXPECT_EQ(words_of("ภาษาไทยที่ดี ᲐᲑ ⅷ"), (Words{"ภาษาไทยที่ดี", "აბ", "ⅷ"}));
  EXPECT_EQ(words_of("CAFE\u0301 \u0301x"), (Words{"cafe\u0301", "x"})) << "a mark begins no word";
}

TEST(WordScanner, BytesThatAreNotUtf8Separate) {
  EXPECT_EQ(words_of("ab\xff"
                     "cd\xc3"),
            (Words{"ab", "cd"}));
}

TEST(WordScanner, LengthIsInCodePoints) {
  WordScanner scanner("日本 don't", WordPattern::letters, true);
  std::string_view word;
  ASSERT_TRUE(scanner.next(word));
  EXPECT_EQ(scanner.length(), 2U);
  ASSERT_TRUE(scanner.next(word));
  EXPECT_EQ(scanner.length(), 5U);
}

TEST(Utf8, EveryCodePointComesBack) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    std::string text;
    append_code_point(c, text);
    const CodePoint back = next_code_point(text);
    ASSERT_TRUE(back.valid && back.value == c && back.bytes == text.size()) << static_cast<unsigned>(c);
    if (text.size() > 1) {
      ASSERT_FALSE(next_code_point(std::string_view(text).substr(0, text.size() - 1)).valid);
    }
  }
}

TEST(Utf8, WhatIsLongerThanNeedBeIsRefused) {
  for (const char* text :
       {"\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"}) {
    EXPECT_FALSE(next_code_point(text).valid);
    EXPECT_EQ(next_code_point(text).bytes, 1U);
  }
}

TEST(StopWords, EnglishAFileOrNone) {
  EXPECT_TRUE(stop_words("none").empty());
  EXPECT_TRUE(stop_words("").empty());
  const auto english = stop_words("english");
  for (const char* word : {"the", "of", "don't", "would"}) EXPECT_TRUE(english.contains(word)) << word;
  for (const char* word : {"cat", "government", "war"}) EXPECT_FALSE(english.contains(word)) << word;
  const tests::ScratchFiles files;
  EXPECT_EQ(stop_words(files.write("stop", "a b\n\nc\n")).size(), 3U);
  EXPECT_THROW(stop_words("/nowhere"), NoInput);
}

}  // namespace
}  // namespace rota::io
