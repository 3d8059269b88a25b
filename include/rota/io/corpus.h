// rota/io/corpus.h -- a corpus of documents: the counts of words in documents.
//
//   uci    a bag of words of the UCI Machine Learning Repository: lines with the numbers of documents, of words and of
//          the lines that follow, and then `document word count`, numbered from 1; count at least 1
//   lda-c  of Blei's LDA-C, a document a line: `N word:count word:count ...`, N pairs; words are numbered from 0, each
//          once; count at least 1; a document without words is 0
//   text   a document a line: words between white space
//   parquet with a column of texts, or of lists of texts or whole numbers: a document a row, as text; without one as
//          the others
//   others the formats of row_reader.h, with documents as rows and words as columns; labels are ignored.  The names of
//          a CSV file's columns are the words
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "rota/io/row_reader.h"
#include "rota/io/vocabulary.h"

namespace rota::io {

inline constexpr std::uint64_t kMostDocuments = (std::uint64_t{1} << 32) - 1;
inline constexpr std::uint64_t kMostTokens = (std::uint64_t{1} << 32) - 1;
inline constexpr std::uint64_t kMostRepeats = std::uint64_t{1} << 24;  // of one word in one document

// Settings of an app (rota/settings.h).
struct CorpusForm : RowForm {
  void options(auto& list) {
    list.choice("format", format,
                {{"auto", "auto"},
                 {"uci", "uci"},
                 {"lda-c", "lda-c"},
                 {"text", "text"},
                 {"libsvm", "libsvm"},
                 {"csv", "csv"},
                 {"tsv", "tsv"},
                 {"matrix_market", "matrix_market"},
                 {"npy", "npy"},
                 {"npz", "npz"},
                 {"parquet", "parquet"}},
                "Format of the input: UCI bag-of-words, LDA-C, text with one document a line, or a matrix of counts "
                "with one document a row; auto: by the content and the name.");
    other_options(list);
  }
};

// A word occurs `count` times in a document.  Both are numbered from 0, documents over all files of the corpus.
struct WordCount {
  std::uint32_t document, word, count;
};
using TakeCounts = std::function<void(std::span<const WordCount>)>;

struct CorpusSize {
  std::uint64_t documents = 0, words = 0, tokens = 0;
  std::uint64_t left_out = 0;  // tokens of words beyond NumberedWords; not in `tokens`
  bool named = false;          // the files have names of words, not numbers
  std::string format;          // of the files
};

// The words that files with numbers for words may have.  With a fixed vocabulary, they must also keep to its words.
struct NumberedWords {
  std::uint64_t end = kMostWords;  // words 0 .. end - 1
  bool leave_out = false;          // others; if not, they are refused
};

// Reads the files as one corpus, in order, passing its counts to `take` in batches, in the order of the input.
// `vocabulary` is either fixed (then files that state a number of words must have its size, and named words that it
// lacks are left out) or empty; then it is filled with the words of files that name them, and stays empty for the
// others.  LDA-C and LIBSVM, which do not state the number of words, then have words up to the largest number.
// `numbered` is for both of them; files that state a number of words must have that of NumberedWords::end.
// Numbers of documents and words out of proportion to the counts are refused, for words unless a vocabulary or
// NumberedWords::end gives their number; for documents only after counts were passed on.  Throws NoInput, or DataError
// with file and line.
CorpusSize read_corpus(const std::vector<std::string>& files, const CorpusForm& form, Vocabulary& vocabulary,
                       const TakeCounts& take, const NumberedWords& numbered = {});

}  // namespace rota::io
