// apps/io/corpus.cc
#include "rota/io/corpus.h"

#include "apps/io/bag_of_words.h"
#include "apps/io/corpus_format.h"
#include "apps/io/documents.h"
#include "apps/io/lda_c.h"
#include "rota/error.h"
#include "rota/io/lines.h"

namespace rota::io {

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
  for (const std::string& file : files) {
    Lines lines(file);
    const CorpusFormat here = format == CorpusFormat::automatic ? format_of(lines) : format;
    if (size.format == CorpusFormat::automatic) size.format = here;
    if (here != size.format)
      throw DataError(file, 1, "the files of a corpus must have one format, but " + files.front() + " has another");
    if (here == CorpusFormat::uci)
      read_bag_of_words(lines, vocabulary, size, take);
    else if (here == CorpusFormat::lda_c)
      read_lda_c(lines, vocabulary, numbered, size, take);
    else
      read_documents(lines, vocabulary, size, take);
  }
  if (size.tokens + size.left_out == 0)
    throw DataError(files.empty() ? "input" : files.front(), 0, "the corpus has no words");
  return size;
}

}  // namespace rota::io
