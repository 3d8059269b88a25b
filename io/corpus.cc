// io/corpus.cc
#include "rota/io/corpus.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "io/corpus_formats.h"
#include "rota/error.h"
#include "rota/io/numbers.h"
#include "rota/memory_input.h"

namespace rota::io {
namespace {

bool is_text(const std::string& format) {
  return format == "uci" || format == "lda-c" || format == "text";
}

void read_file(const std::string& file, const std::string& first, const CorpusForm& form, CorpusReading& corpus) {
  RowForm here = form;
  std::optional<Lines> lines;
  if (is_memory_name(file)) here.format = "memory";
  if (here.format == "auto") {
    // What can be read only once has neither a name nor a beginning that could be looked at before.
    const bool again = is_remote(file) || std::filesystem::is_regular_file(file);
    if (again) here.format = found_format(file);
    if (!again || here.format == "text") here.format = format_of(lines.emplace(file));
    if (!again && !is_text(here.format)) lines->fail("the input can be read only once: give --format=" + here.format);
  } else if (is_text(here.format)) {
    lines.emplace(file);
  }
  if (here.format == "parquet") {
    if (!is_parquet(file)) throw DataError(file, 0, "it is no Parquet file");
    if (auto documents = open_documents(file); documents != nullptr) {
      lines.emplace(file, std::move(documents));
      here.format = "text";
    }
  }
  if (!corpus.size.format.empty() && here.format != corpus.size.format)
    throw DataError(file, 1, "the files of a corpus must have one format, but " + first + " has another");
  corpus.size.format = here.format;
  if (!is_text(here.format)) return read_count_rows(file, here, corpus);
  corpus.fail = [&lines](const std::string& what) { lines->fail(what); };
  const auto read = here.format == "uci" ? read_bag_of_words : here.format == "lda-c" ? read_lda_c : read_text;
  read(*lines, corpus);
}

}  // namespace

std::uint64_t CorpusReading::known_words() const {
  const std::uint64_t end = numbered.end < kMostWords ? numbered.end : 0;
  return vocabulary.is_fixed() ? std::min<std::uint64_t>(vocabulary.size(), numbered.end) : end;
}

void CorpusReading::check_words(std::uint64_t words) const {
  const std::string found = "the corpus has " + std::to_string(words) + (words == 1 ? " word, but " : " words, but ");
  if (vocabulary.is_fixed() && words != vocabulary.size())
    fail(found + "the vocabulary " + vocabulary.file() + " has " + std::to_string(vocabulary.size()));
  if (known_words() > 0 && words != known_words()) fail(found + "the model has " + std::to_string(known_words()));
  if (size.documents > 0 && words != size.words) fail(found + "the file before had " + std::to_string(size.words));
}

bool CorpusReading::limit_words() {
  const std::uint64_t known = known_words(), end = known > 0 ? known : kMostWords;
  size.words = std::max(size.words, known);
  bool widest = false;
  std::size_t kept = 0;
  for (const WordCount& each : document) {
    if (each.word < end) {
      document[kept++] = each;
      widest = widest || each.word >= size.words;
      size.words = std::max(size.words, each.word + std::uint64_t{1});
    } else if (numbered.leave_out) {
      size.left_out += each.count;
    } else {
      fail("word " + std::to_string(each.word) + " is beyond the " + std::to_string(end) + " words of the vocabulary" +
           (vocabulary.is_fixed() ? " " + vocabulary.file() : "") + ", which are numbered from 0");
    }
  }
  document.resize(kept);
  return widest;
}

void CorpusReading::end_document() {
  if (size.documents == kMostDocuments) fail("a corpus has at most " + std::to_string(kMostDocuments) + " documents");
  for (const WordCount& each : document) size.tokens += each.count;
  if (size.tokens > kMostTokens) fail("a corpus has at most " + std::to_string(kMostTokens) + " tokens");
  entries += document.size();
  size.documents += 1;
  take(document);
  document.clear();
}

// Words are between white space, and unchanged.  A line without words is a document without words, so that the number
// of a document is the number of its line.
void read_text(Lines& lines, CorpusReading& corpus) {
  Vocabulary& vocabulary = corpus.vocabulary;
  std::string_view line;
  while (lines.next(line)) {
    if (line.find('\0') != line.npos) lines.fail("expected text, found a NUL byte");
    for (std::string_view word = next_field(line); !word.empty(); word = next_field(line)) {
      auto number = vocabulary.find(word);
      if (!number && vocabulary.is_fixed()) continue;
      if (!number && vocabulary.size() == kMostWords)
        lines.fail("a corpus has at most " + std::to_string(kMostWords) + " different words");
      if (!number) number = vocabulary.number_of(word);
      corpus.document.push_back({static_cast<std::uint32_t>(corpus.size.documents), *number, 1});
    }
    corpus.end_document();
  }
  corpus.size.words = vocabulary.size();
  corpus.size.named = true;
}

CorpusSize read_corpus(const std::vector<std::string>& files, const CorpusForm& form, Vocabulary& vocabulary,
                       const TakeCounts& take, const NumberedWords& numbered) {
  CorpusReading corpus{vocabulary, numbered, take};
  std::pair<std::string, std::uint64_t> widest;  // file and line with the number of words
  for (const std::string& file : files) {
    corpus.widest_line = 0;
    const std::uint64_t words = corpus.size.words;
    read_file(file, files.front(), form, corpus);
    if (corpus.size.words > words) widest = {file, corpus.widest_line};
  }
  const CorpusSize& size = corpus.size;
  // A vocabulary or a model justifies any number of words.
  const std::string wrong = out_of_proportion(size.words, "words", corpus.entries);
  if (!wrong.empty() && corpus.known_words() == 0) throw DataError(widest.first, widest.second, wrong);
  if (size.tokens + size.left_out == 0)
    throw DataError(files.empty() ? "input" : files.front(), 0, "the corpus has no words");
  return size;
}

}  // namespace rota::io
