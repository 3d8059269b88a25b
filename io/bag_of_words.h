// io/bag_of_words.h -- the bag-of-words format of the UCI Machine Learning Repository.
//
//   D                      number of documents
//   W                      number of words of the vocabulary
//   NNZ                    number of lines that follow
//   document word count    numbered from 1; count at least 1
#pragma once
#include "rota/io/corpus.h"
#include "rota/io/lines.h"

namespace rota::io {

// Reads one file, adding to `size`; its documents follow those read before.  See read_corpus().
void read_bag_of_words(Lines& lines, const Vocabulary& vocabulary, CorpusSize& size, const TakeCounts& take);

}  // namespace rota::io
