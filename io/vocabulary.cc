// io/vocabulary.cc
#include "rota/io/vocabulary.h"

#include "rota/io/lines.h"
#include "rota/io/numbers.h"

namespace rota::io {

Vocabulary Vocabulary::read(const std::string& path) {
  Vocabulary vocabulary;
  vocabulary.file_ = path;
  Lines lines(path);
  std::string_view line;
  while (lines.next(line)) {
    std::string_view rest = line;
    const std::string_view word = next_field(rest);
    if (word.empty()) lines.fail("expected a word, found an empty line");
    if (word.find('\0') != word.npos) lines.fail("expected a word, found a NUL byte in " + quoted(word));
    if (!next_field(rest).empty()) lines.fail("expected one word, found several: " + quoted(line));
    if (const auto before = vocabulary.find(word))
      lines.fail("the word " + quoted(word) + " is already on line " + std::to_string(*before + 1));
    if (vocabulary.size() == kMostWords)
      lines.fail("a vocabulary has at most " + std::to_string(kMostWords) + " words");
    vocabulary.number_of(word);
  }
  return vocabulary;
}

std::optional<std::uint32_t> Vocabulary::find(std::string_view word) const {
  const auto found = numbers_.find(word);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

std::uint32_t Vocabulary::number_of(std::string_view word) {
  if (const auto known = find(word)) return *known;
  const auto number = static_cast<std::uint32_t>(words_.size());
  numbers_.emplace(words_.emplace_back(word), number);
  return number;
}

}  // namespace rota::io
