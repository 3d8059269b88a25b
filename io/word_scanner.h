// io/word_scanner.h -- the words in running text (UTF-8).
#pragma once
#include <string>
#include <string_view>

namespace rota::io {

// In UTF-8.
void append_code_point(char32_t value, std::string& to);

// The characters of a word.
enum class WordPattern {
  letters,         // runs of letters; an apostrophe between two letters belongs to the word: don't
  letters_digits,  // the same with digits
  whitespace,      // any text between white space
};

// Letters, their marks and lower case are those of glibc's locale C.UTF-8, digits those of Unicode.  Bytes that are not
// UTF-8 separate words, except for `whitespace`, which keeps them unchanged.
class WordScanner {
 public:
  // Throws std::runtime_error on first use if the system has no such locale.
  WordScanner(std::string_view text, WordPattern pattern, bool lowercase)
      : rest_(text), pattern_(pattern), lowercase_(lowercase) {}

  // The next word, or false.  Valid until the next call.
  bool next(std::string_view& word);
  // Of the word that next() returned last, in code points.
  std::size_t length() const { return length_; }

 private:
  bool is_part(char32_t c) const;

  std::string_view rest_;
  WordPattern pattern_;
  bool lowercase_;
  std::string word_;
  std::size_t length_ = 0;
};

}  // namespace rota::io
