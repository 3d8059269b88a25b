// rota/io/vocabulary.h -- the words of a corpus and their numbers.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rota::io {

inline constexpr std::uint64_t kMostWords = std::uint64_t{1} << 28;

// Words are numbered from 0 in the order of their addition.
class Vocabulary {
 public:
  Vocabulary() = default;
  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;

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
  std::vector<std::string> words() const { return {words_.begin(), words_.end()}; }
  std::optional<std::uint32_t> find(std::string_view word) const;
  // The number of a word, which is added if it is new; for a vocabulary with fewer than kMostWords.
  std::uint32_t number_of(std::string_view word);

 private:
  std::deque<std::string> words_;  // a deque, because the views below must stay where they are
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::string file_;
};

}  // namespace rota::io
