// rota/io/vocabulary.h -- the words of a corpus and their numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rota::io {

inline constexpr std::uint64_t kMostWords = std::uint64_t{1} << 28;

// Words are numbered from 0 in the order of their addition.
class Vocabulary {
 public:
  // One word a line.  Throws NoInput or DataError: for an empty line, a line of several words, or a repeated word.
  static Vocabulary read(const std::string& path);

  // From now on no word may be added; `where` names the words' source in messages.
  void fix(std::string where) { file_ = std::move(where); }
  // Whether the words are given, and no other may be added.
  bool is_fixed() const { return !file_.empty(); }
  // The source of the words, or "".
  const std::string& file() const { return file_; }

  std::size_t size() const { return words_.size(); }
  const std::string& word(std::size_t number) const { return words_[number]; }
  const std::vector<std::string>& words() const& { return words_; }
  std::vector<std::string> words() && { return std::move(words_); }
  std::optional<std::uint32_t> find(std::string_view word) const;
  // The number of a word, which is added if it is new; for a vocabulary with fewer than kMostWords.
  std::uint32_t number_of(std::string_view word);

 private:
  std::size_t place_of(std::string_view word) const;
  void grow();

  std::vector<std::string> words_;
  // Open addressing, at most half full: a word's number + 1 is at its hash or in the next free place after it.
  std::vector<std::uint32_t> places_;
  std::string file_;
};

}  // namespace rota::io
