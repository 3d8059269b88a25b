// io/word_scanner.cc -- glibc defines what a letter is, in its locale of all Unicode.
#include "io/word_scanner.h"

#include <locale.h>
#include <wctype.h>

#include <algorithm>
#include <stdexcept>

#include "rota/utf8.h"

namespace rota::io {

namespace {

constexpr char32_t kApostrophe = '\'', kRaisedComma = 0x2019;

::locale_t unicode() {
  static const ::locale_t locale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (locale == nullptr) throw std::runtime_error("this system has no locale C.UTF-8, which defines the letters");
  return locale;
}

// glibc classifies all digits except the ASCII ones as letters.  These are the zeros; the other nine follow each
// (Unicode 14, general category Nd).
bool is_digit(char32_t c) {
  constexpr char32_t kZeros[] = {
      '0',     0x660,   0x6f0,   0x7c0,   0x966,   0x9e6,   0xa66,   0xae6,   0xb66,   0xbe6,   0xc66,
      0xce6,   0xd66,   0xde6,   0xe50,   0xed0,   0xf20,   0x1040,  0x1090,  0x17e0,  0x1810,  0x1946,
      0x19d0,  0x1a80,  0x1a90,  0x1b50,  0x1bb0,  0x1c40,  0x1c50,  0xa620,  0xa8d0,  0xa900,  0xa9d0,
      0xa9f0,  0xaa50,  0xabf0,  0xff10,  0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0,
      0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x16a60,
      0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0};
  const char32_t* const above = std::upper_bound(std::begin(kZeros), std::end(kZeros), c);
  return above != std::begin(kZeros) && c - above[-1] < 10;
}

// White space, control characters, and the spaces that do not break a line.
bool is_space(char32_t c) {
  return ::iswspace_l(c, unicode()) != 0 || ::iswcntrl_l(c, unicode()) != 0 || c == 0xa0 || c == 0x2007 ||
         c == 0x200b || c == 0x202f || c == 0xfeff;
}

bool is_letter(char32_t c) {
  return ::iswalpha_l(c, unicode()) != 0 && !is_digit(c);
}

// Characters that belong to the letter before them: accents, vowel signs, and the two joiners.
bool is_mark(char32_t c) {
  static const ::wctype_t combining = ::wctype_l("combining", unicode());
  return c == 0x200c || c == 0x200d || (c >= 0x300 && ::iswctype_l(c, combining, unicode()) != 0);
}

}  // namespace

void append_code_point(char32_t value, std::string& to) {
  const auto tail = [&](unsigned shift) { to += static_cast<char>(0x80 | (value >> shift & 0x3f)); };
  if (value < 0x80) {
    to += static_cast<char>(value);
  } else if (value < 0x800) {
    to += static_cast<char>(0xc0 | value >> 6);
    tail(0);
  } else if (value < 0x10000) {
    to += static_cast<char>(0xe0 | value >> 12);
    tail(6), tail(0);
  } else {
    to += static_cast<char>(0xf0 | value >> 18);
    tail(12), tail(6), tail(0);
  }
}

bool WordScanner::is_part(char32_t c) const {
  if (pattern_ == WordPattern::whitespace) return !is_space(c);
  return is_letter(c) || (pattern_ == WordPattern::letters_digits && is_digit(c)) || (length_ > 0 && is_mark(c));
}

bool WordScanner::next(std::string_view& word) {
  word_.clear();
  length_ = 0;
  bool apostrophe = false;  // one is held back until a letter follows
  while (!rest_.empty()) {
    const CodePoint point = next_code_point(rest_);
    const bool part = point.valid ? is_part(point.value) : pattern_ == WordPattern::whitespace;
    if (!part && length_ > 0) {
      const bool mark = point.valid && (point.value == kApostrophe || point.value == kRaisedComma);
      if (!mark || apostrophe || pattern_ == WordPattern::whitespace) break;
      apostrophe = true;
    }
    const char byte = rest_.front();
    rest_.remove_prefix(point.bytes);
    if (!part) continue;
    if (apostrophe) word_ += '\'', ++length_;
    apostrophe = false;
    if (point.valid)
      append_code_point(lowercase_ ? ::towlower_l(point.value, unicode()) : point.value, word_);
    else
      word_ += byte;
    ++length_;
  }
  word = word_;
  return length_ > 0;
}

}  // namespace rota::io
