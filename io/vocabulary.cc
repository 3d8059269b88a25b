// io/vocabulary.cc
#include "rota/io/vocabulary.h"

#include <algorithm>
#include <functional>

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
  const std::uint32_t found = places_.empty() ? 0 : places_[place_of(word)];
  return found == 0 ? std::nullopt : std::optional(found - 1);
}

std::uint32_t Vocabulary::number_of(std::string_view word) {
  if (2 * words_.size() >= places_.size()) grow();
  std::uint32_t& found = places_[place_of(word)];
  if (found == 0) {
    words_.emplace_back(word);
    found = static_cast<std::uint32_t>(words_.size());
  }
  return found - 1;
}

std::size_t Vocabulary::place_of(std::string_view word) const {
  std::size_t place = std::hash<std::string_view>()(word) & (places_.size() - 1);
  while (places_[place] != 0 && words_[places_[place] - 1] != word) place = (place + 1) & (places_.size() - 1);
  return place;
}

void Vocabulary::grow() {
  constexpr std::size_t kLeast = 16;  // and from there powers of two
  places_.assign(std::max(kLeast, 2 * places_.size()), 0);
  for (std::uint32_t n = 0; n < words_.size(); ++n) places_[place_of(words_[n])] = n + 1;
}

}  // namespace rota::io
