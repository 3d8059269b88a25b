// io/corpus_formats.h -- the readers of a corpus (rota/io/corpus.h), one for each kind of format.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rota/io/corpus.h"
#include "rota/io/lines.h"

namespace rota::io {

// Reads lines up to the first that decides, and makes `lines` return them again.  Throws DataError, which names the
// formats to choose from, for what can be read in two ways.
std::string format_of(Lines& lines);

// The corpus while its files are read.
struct CorpusReading {
  Vocabulary& vocabulary;
  const NumberedWords& numbered;
  const TakeCounts& take;
  CorpusSize size = {};
  std::uint64_t entries = 0;
  std::uint64_t widest_line = 0;                      // with the largest number of a word, or with the number of words
  std::vector<std::string> columns = {};              // of a matrix: the words, if they have names
  std::vector<WordCount> document = {};               // its counts, not yet passed on
  std::function<void(const std::string&)> fail = {};  // throws DataError with the place in the file

  // The number of words, if a vocabulary or a model gives it; else 0.
  std::uint64_t known_words() const;
  // Refuses a number of words that a file states, and that is not the known one or that of the file before.
  void check_words(std::uint64_t words) const;
  // Leaves out, or refuses, the document's words beyond the known ones.  Returns whether it has the largest so far.
  bool limit_words();
  // Passes the document on.
  void end_document();
};

// Each reads one file; its documents follow those read before.
void read_bag_of_words(Lines& lines, CorpusReading& corpus);
void read_lda_c(Lines& lines, CorpusReading& corpus);
void read_text(Lines& lines, CorpusReading& corpus);
// `form`: with the format of that file.
void read_count_rows(const std::string& file, RowForm form, CorpusReading& corpus);

}  // namespace rota::io
