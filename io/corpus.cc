// io/corpus.cc
#include "rota/io/corpus.h"

#include <string>
#include <utility>

#include "io/bag_of_words.h"
#include "io/corpus_format.h"
#include "io/lda_c.h"
#include "rota/error.h"
#include "rota/io/lines.h"
#include "rota/io/numbers.h"

namespace rota::io {
namespace {

// One document a line of text: words between white space, unchanged.  A line without words is a document without words,
// so that the number of a document is the number of its line.
void read_documents(Lines& lines, Vocabulary& vocabulary, CorpusSize& size, const TakeCounts& take) {
  std::vector<WordCount> batch;
  std::string_view line;
  while (lines.next(line)) {
    if (line.find('\0') != line.npos) lines.fail("expected text, found a NUL byte");
    if (size.documents == kMostDocuments)
      lines.fail("a corpus has at most " + std::to_string(kMostDocuments) + " documents");
    batch.clear();
    for (std::string_view word = next_field(line); !word.empty(); word = next_field(line)) {
      auto number = vocabulary.find(word);
      if (!number && vocabulary.is_fixed()) continue;
      if (!number && vocabulary.size() == kMostWords)
        lines.fail("a corpus has at most " + std::to_string(kMostWords) + " different words");
      if (!number) number = vocabulary.number_of(word);
      batch.push_back({static_cast<std::uint32_t>(size.documents), *number, 1});
    }
    size.documents += 1;
    size.tokens += batch.size();
    if (size.tokens > kMostTokens) lines.fail("a corpus has at most " + std::to_string(kMostTokens) + " tokens");
    take(batch);
  }
  size.words = vocabulary.size();
}

}  // namespace

CorpusFormat corpus_format(std::string_view name) {
  if (name == "uci") return CorpusFormat::uci;
  if (name == "lda-c") return CorpusFormat::lda_c;
  if (name == "text") return CorpusFormat::text;
  return CorpusFormat::automatic;
}

CorpusSize read_corpus(const std::vector<std::string>& files, CorpusFormat format, Vocabulary& vocabulary,
                       const TakeCounts& take, const NumberedWords& numbered) {
  CorpusSize size;
  size.format = format;
  std::uint64_t entries = 0, last_word = 0;
  std::pair<std::string, std::uint64_t> place;  // file and line with the number of words
  for (const std::string& file : files) {
    Lines lines(file);
    const CorpusFormat here = format == CorpusFormat::automatic ? format_of(lines) : format;
    if (size.format == CorpusFormat::automatic) size.format = here;
    if (here != size.format)
      throw DataError(file, 1, "the files of a corpus must have one format, but " + files.front() + " has another");
    const auto take_counted = [&](std::span<const WordCount> counts) {
      entries += counts.size();
      for (const WordCount& each : counts)
        if (here == CorpusFormat::lda_c && each.word >= last_word)
          last_word = each.word, place = {file, lines.number()};
      take(counts);
    };
    if (here == CorpusFormat::uci)
      read_bag_of_words(lines, vocabulary, size, take_counted), place = {file, 2};
    else if (here == CorpusFormat::lda_c)
      read_lda_c(lines, vocabulary, numbered, size, take_counted);
    else
      read_documents(lines, vocabulary, size, take_counted);
  }
  // A vocabulary or a model justifies any number of words.
  const bool known = vocabulary.is_fixed() || numbered.end < kMostWords;
  if (const std::string wrong = out_of_proportion(size.words, "words", entries); !known && !wrong.empty())
    throw DataError(place.first, place.second, wrong);
  if (size.tokens + size.left_out == 0)
    throw DataError(files.empty() ? "input" : files.front(), 0, "the corpus has no words");
  return size;
}

}  // namespace rota::io
