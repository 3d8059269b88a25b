// io/bag_of_words.cc -- a fast path for valid lines, and a slow one that reports errors.
#include <string>
#include <string_view>

#include "io/corpus_formats.h"
#include "rota/error.h"
#include "rota/io/numbers.h"

namespace rota::io {
namespace {

constexpr std::size_t kBatch = 4096;

struct Header {
  std::uint64_t documents, words, lines;
};
struct Triple {
  std::uint64_t document, word, count;
};

std::string plural(std::uint64_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::uint64_t header_line(Lines& lines, const std::string& what, std::uint64_t most) {
  std::string_view line;
  if (!lines.next(line))
    throw DataError(lines.file(), lines.number() + 1, "expected " + what + ", found the end of the file");
  const std::string_view field = next_field(line);
  if (field.empty()) lines.fail("expected " + what + ", found an empty line");
  lines.expect_end(line, what + " alone");
  return lines.whole_number(field, what, 0, most);
}

Header read_header(Lines& lines, CorpusReading& corpus) {
  Header header{};
  header.documents = header_line(lines, "the number of documents", kMostDocuments - corpus.size.documents);
  header.words = header_line(lines, "the number of words", kMostWords);
  corpus.check_words(header.words);
  corpus.widest_line = lines.number();
  header.lines = header_line(lines, "the number of 'document word count' lines", kMostTokens);
  if (const std::string wrong = out_of_proportion(header.documents, "documents", header.lines); !wrong.empty())
    throw DataError(lines.file(), 1, wrong);
  return header;
}

bool scan_triple(std::string_view line, Triple& triple) {
  const char* const end = line.data() + line.size();
  const char* at = scan_digits(skip_blanks(line.data(), end), end, triple.document);
  if (at == nullptr || at == end || !is_blank(*at)) return false;
  at = scan_digits(skip_blanks(at, end), end, triple.word);
  if (at == nullptr || at == end || !is_blank(*at)) return false;
  at = scan_digits(skip_blanks(at, end), end, triple.count);
  return at != nullptr && skip_blanks(at, end) == end;
}

// Throws for an invalid line.
void refuse(const Lines& lines, const Header& header, std::string_view line) {
  std::string_view rest = line;
  const std::string_view fields[3] = {next_field(rest), next_field(rest), next_field(rest)};
  if (fields[2].empty() || !next_field(rest).empty())
    lines.fail("expected 'document word count', found " + quoted(line));
  lines.whole_number(fields[0], "a document number", 1, header.documents);
  lines.whole_number(fields[1], "a word id", 1, header.words);
  lines.whole_number(fields[2], "a count", 1, kMostRepeats);
}

}  // namespace

void read_bag_of_words(Lines& lines, CorpusReading& corpus) {
  const Header header = read_header(lines, corpus);
  CorpusSize& size = corpus.size;
  std::vector<WordCount> batch;
  batch.reserve(kBatch);
  std::uint64_t seen = 0;
  std::string_view line;
  while (lines.next(line)) {
    Triple triple{};
    // A number that is 0 wraps around, so one comparison checks both bounds.
    const bool right = scan_triple(line, triple) && triple.document - 1 < header.documents &&
                       triple.word - 1 < header.words && triple.count - 1 < kMostRepeats;
    if (seen == header.lines) {
      if (is_blank(line)) continue;
      lines.fail("expected the end of the file after " + plural(header.lines, "line") + ", found " + quoted(line));
    }
    if (!right) refuse(lines, header, line);
    ++seen;
    size.tokens += triple.count;
    if (size.tokens > kMostTokens) lines.fail("a corpus has at most " + std::to_string(kMostTokens) + " tokens");
    batch.push_back({static_cast<std::uint32_t>(size.documents + triple.document - 1),
                     static_cast<std::uint32_t>(triple.word - 1), static_cast<std::uint32_t>(triple.count)});
    if (batch.size() == kBatch) {
      corpus.take(batch);
      batch.clear();
    }
  }
  if (seen < header.lines)
    throw DataError(lines.file(), lines.number() + 1,
                    "expected " + plural(header.lines, "'document word count' line") + ", found " +
                        std::to_string(seen) + " before the end of the file");
  corpus.take(batch);
  corpus.entries += seen;
  size.documents += header.documents;
  size.words = header.words;
}

}  // namespace rota::io
