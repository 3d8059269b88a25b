// apps/io/documents.h -- one document a line of text: words between white space, unchanged.
#pragma once
#include "rota/io/corpus.h"
#include "rota/io/lines.h"

namespace rota::io {

// Reads one file, adding to `size`.  See read_corpus().  A line without words is a document without words, so that
// the number of a document is the number of its line.
void read_documents(Lines& lines, Vocabulary& vocabulary, CorpusSize& size, const TakeCounts& take);

}  // namespace rota::io
