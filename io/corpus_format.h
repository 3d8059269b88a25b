// io/corpus_format.h -- detects the format of a corpus by its first lines.
#pragma once
#include "rota/io/corpus.h"
#include "rota/io/lines.h"

namespace rota::io {

// Reads lines up to the first that decides, and makes `lines` return them again.  Throws DataError, which names the
// formats to choose from, for what can be read in two ways or is known to be something else than documents.
CorpusFormat format_of(Lines& lines);

}  // namespace rota::io
