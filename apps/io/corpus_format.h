// apps/io/corpus_format.h -- which format a corpus has, by its first lines.
#pragma once
#include "rota/io/corpus.h"
#include "rota/io/lines.h"

namespace rota::io {

// Looks at lines up to the first that tells, and has `lines` give them once more.  What can be read in two ways, or is
// known as something else than documents, is a DataError that names the formats to choose from.
CorpusFormat format_of(Lines& lines);

}  // namespace rota::io
