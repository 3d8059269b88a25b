// rota/io/corpus.h -- a corpus of documents: the counts of words in documents.
//
// Three formats: UCI bag-of-words (bag_of_words.h), LDA-C (lda_c.h) and one document a line of text.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rota/io/vocabulary.h"

namespace rota::io {

inline constexpr std::uint64_t kMostDocuments = (std::uint64_t{1} << 32) - 1;
inline constexpr std::uint64_t kMostTokens = (std::uint64_t{1} << 32) - 1;
inline constexpr std::uint64_t kMostRepeats = std::uint64_t{1} << 24;  // of one word in one document

enum class CorpusFormat { automatic, uci, lda_c, text };

// "auto", "uci", "lda-c" or "text".
CorpusFormat corpus_format(std::string_view name);

// A word occurs `count` times in a document.  Both are numbered from 0, documents over all files of the corpus.
struct WordCount {
  std::uint32_t document, word, count;
};
using TakeCounts = std::function<void(std::span<const WordCount>)>;

struct CorpusSize {
  std::uint64_t documents = 0, words = 0, tokens = 0;
  std::uint64_t left_out = 0;                     // tokens of words beyond NumberedWords; not in `tokens`
  CorpusFormat format = CorpusFormat::automatic;  // of the files
};

// The words that LDA-C may have, whose files do not give their number.  With a fixed vocabulary, LDA-C must also keep
// to its words.
struct NumberedWords {
  std::uint64_t end = kMostWords;  // words 0 .. end - 1
  bool leave_out = false;          // others; if not, they are refused
};

// Reads the files as one corpus, in order, passing its counts to `take` in batches, in the order of the input.
// `vocabulary` is either fixed (then UCI files must have its size, and words of a text that it lacks are left out) or
// empty; then it is filled with the words of a text, and stays empty for the formats that number words.  LDA-C then has
// words up to the largest number.  Numbers of documents and words out of proportion to the counts are refused, for
// words unless a vocabulary or NumberedWords::end gives their number; for documents only after counts were passed on.
// Throws NoInput, or DataError with file and line.
CorpusSize read_corpus(const std::vector<std::string>& files, CorpusFormat format, Vocabulary& vocabulary,
                       const TakeCounts& take, const NumberedWords& numbered = {});

}  // namespace rota::io
