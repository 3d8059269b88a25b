// io/lda_c.cc -- a fast path for valid pairs, and a slow one that reports errors.
#include <algorithm>
#include <string>
#include <string_view>

#include "io/corpus_formats.h"
#include "rota/io/numbers.h"

namespace rota::io {
namespace {

bool scan_pair(std::string_view field, std::uint64_t& word, std::uint64_t& count) {
  const char* const end = field.data() + field.size();
  const char* const colon = scan_digits(field.data(), end, word);
  if (colon == nullptr || colon == end || *colon != ':') return false;
  return scan_digits(colon + 1, end, count) == end;
}

// Throws for an invalid pair.
void refuse(const Lines& lines, std::string_view field) {
  const std::size_t colon = field.find(':');
  const auto number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  if (colon == field.npos || !number(field.substr(0, colon)) || !number(field.substr(colon + 1)))
    lines.fail("expected 'word:count', found " + quoted(field));
  lines.whole_number(field.substr(0, colon), "a word number", 0, kMostWords - 1);
  lines.whole_number(field.substr(colon + 1), "a count", 1, kMostRepeats);
}

// The first number of a line: how many pairs follow.
std::uint64_t scan_length(const Lines& lines, std::string_view field) {
  std::uint64_t length = 0;
  if (scan_digits(field.data(), field.data() + field.size(), length) != field.data() + field.size())
    lines.fail("expected the number of the document's different words, found " + quoted(field));
  return length;
}

void refuse_repeats(const Lines& lines, const std::vector<WordCount>& pairs) {
  const auto by_word = [](const WordCount& a, const WordCount& b) { return a.word < b.word; };
  const auto same = [](const WordCount& a, const WordCount& b) { return a.word == b.word; };
  if (std::is_sorted(pairs.begin(), pairs.end(), by_word) &&
      std::adjacent_find(pairs.begin(), pairs.end(), same) == pairs.end())
    return;
  std::vector<WordCount> sorted = pairs;
  std::sort(sorted.begin(), sorted.end(), by_word);
  const auto found = std::adjacent_find(sorted.begin(), sorted.end(), same);
  if (found != sorted.end()) lines.fail("word " + std::to_string(found->word) + " is twice in the document");
}

// The pairs of one line, in its order.
void read_pairs(const Lines& lines, std::string_view line, CorpusReading& corpus) {
  const std::uint64_t length = scan_length(lines, next_field(line));
  for (std::string_view field = next_field(line); !field.empty(); field = next_field(line)) {
    std::uint64_t word = 0, count = 0;
    // A count of 0 wraps around, so one comparison checks both bounds.
    if (!scan_pair(field, word, count) || word >= kMostWords || count - 1 >= kMostRepeats) refuse(lines, field);
    corpus.document.push_back({static_cast<std::uint32_t>(corpus.size.documents), static_cast<std::uint32_t>(word),
                               static_cast<std::uint32_t>(count)});
  }
  if (corpus.document.size() != length)
    lines.fail("expected " + std::to_string(length) + " 'word:count' after the line's first number, found " +
               std::to_string(corpus.document.size()));
  refuse_repeats(lines, corpus.document);
}

}  // namespace

void read_lda_c(Lines& lines, CorpusReading& corpus) {
  std::uint64_t blank = 0;  // number of the first empty line of those just read
  std::string_view line;
  while (lines.next(line)) {
    if (is_blank(line)) {
      if (blank == 0) blank = lines.number();
      continue;
    }
    if (blank != 0)
      lines.fail("expected the end of the file after the empty line " + std::to_string(blank) + ", found " +
                 quoted(line) + " (a document without words is the line 0)");
    read_pairs(lines, line, corpus);
    if (corpus.limit_words()) corpus.widest_line = lines.number();
    corpus.end_document();
  }
}

}  // namespace rota::io
