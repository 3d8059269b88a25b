#include "apps/io/word_scanner.h"

#include "apps/io/utf8.h"

namespace rota::io {

namespace {

constexpr char32_t kApostrophe = '\'', kRaisedComma = 0x2019;

bool is_digit(char32_t c) {
  return c >= '0' && c <= '9';
}

bool is_space(char32_t c) {
  return c <= ' ' || c == 0x7f || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200b) ||
         c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000 || c == 0xfeff;
}

bool is_letter(char32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  if (c < 0xc0) return c == 0xaa || c == 0xb5 || c == 0xba;
  if (c == 0xd7 || c == 0xf7 || is_space(c)) return false;
  const bool general = c >= 0x2000 && c <= 0x206f;  // punctuation
  const bool currency = c >= 0x20a0 && c <= 0x20cf;
  const bool symbols = c >= 0x2190 && c <= 0x2bff;  // arrows, mathematics, boxes, dingbats
  const bool marks = c >= 0x2e00 && c <= 0x2e7f;    // more punctuation
  const bool cjk = c >= 0x3001 && c <= 0x3004;      // its punctuation, and the brackets
  const bool brackets = c >= 0x3008 && c <= 0x3020;
  const bool wide = (c >= 0xff00 && c <= 0xff20) || (c >= 0xff3b && c <= 0xff40) || (c >= 0xff5b && c <= 0xff65);
  const bool pictures = c >= 0x1f000 && c <= 0x1faff;
  const bool private_use = (c >= 0xe000 && c <= 0xf8ff) || (c >= 0xfe00 && c <= 0xfe0f) || c >= 0xfff0;
  return !(general || currency || symbols || marks || cjk || brackets || wide || pictures ||
           (private_use && c < 0x10000));
}

}  // namespace

char32_t lower_case(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 0x20 : c;
  if (c >= 0xc0 && c <= 0xde && c != 0xd7) return c + 0x20;
  if (c == 0x178) return 0xff;
  // Latin Extended-A: capitals are even, but for two runs in which they are odd.
  const bool odd = (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e);
  if (odd) return c % 2 == 1 ? c + 1 : c;
  if (c >= 0x100 && c <= 0x177 && c != 0x130 && c != 0x131 && c != 0x138 && c != 0x149) return c % 2 == 0 ? c + 1 : c;
  if (c == 0x386) return 0x3ac;
  if (c >= 0x388 && c <= 0x38a) return c + 0x25;
  if (c == 0x38c) return 0x3cc;
  if (c == 0x38e || c == 0x38f) return c + 0x3f;
  if (c >= 0x391 && c <= 0x3ab && c != 0x3a2) return c + 0x20;
  if (c >= 0x400 && c <= 0x40f) return c + 0x50;
  if (c >= 0x410 && c <= 0x42f) return c + 0x20;
  return c;
}

bool WordScanner::is_part(char32_t c) const {
  if (pattern_ == WordPattern::whitespace) return !is_space(c);
  return is_letter(c) || (pattern_ == WordPattern::letters_digits && is_digit(c));
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
      append_code_point(lowercase_ ? lower_case(point.value) : point.value, word_);
    else
      word_ += byte;
    ++length_;
  }
  word = word_;
  return length_ > 0;
}

}  // namespace rota::io
