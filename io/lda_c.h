// io/lda_c.h -- the format of Blei's LDA-C: one document a line.
//
//   N word:count word:count ...    N pairs; words numbered from 0, each once; count at least 1; a document without
//   words is 0
#pragma once
#include "rota/io/corpus.h"
#include "rota/io/lines.h"

namespace rota::io {

// Reads one file, adding to `size`.  See read_corpus().
void read_lda_c(Lines& lines, const Vocabulary& vocabulary, const NumberedWords& numbered, CorpusSize& size,
                const TakeCounts& take);

}  // namespace rota::io
