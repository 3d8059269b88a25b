// apps/io/corpus.cc
#include "rota/io/corpus.h"

#include "apps/io/bag_of_words.h"
#include "apps/io/documents.h"
#include "rota/error.h"
#include "rota/io/lines.h"
#include "rota/io/numbers.h"

namespace rota::io {
namespace {

// A bag of words begins with a line of one number; a text whose first document is one number must be announced.
CorpusFormat format_of(Lines& lines) {
  std::string_view line;
  if (!lines.next(line)) return CorpusFormat::text;
  lines.repeat();
  const std::string_view field = next_field(line);
  std::uint64_t number = 0;
  const char* const end = field.data() + field.size();
  const bool is_number = scan_digits(field.data(), end, number) == end;
  return is_number && next_field(line).empty() ? CorpusFormat::uci : CorpusFormat::text;
}

}  // namespace

CorpusFormat corpus_format(std::string_view name) {
  if (name == "uci") return CorpusFormat::uci;
  if (name == "text") return CorpusFormat::text;
  return CorpusFormat::automatic;
}

CorpusSize read_corpus(const std::vector<std::string>& files, CorpusFormat format, Vocabulary& vocabulary,
                       const TakeCounts& take) {
  CorpusSize size;
  CorpusFormat first_format = format;
  for (const std::string& file : files) {
    Lines lines(file);
    const CorpusFormat here = format == CorpusFormat::automatic ? format_of(lines) : format;
    if (first_format == CorpusFormat::automatic) first_format = here;
    if (here != first_format)
      throw DataError(file, 1, "the files of a corpus must have one format, but " + files.front() + " has another");
    if (here == CorpusFormat::uci)
      read_bag_of_words(lines, vocabulary, size, take);
    else
      read_documents(lines, vocabulary, size, take);
  }
  if (size.tokens == 0) throw DataError(files.empty() ? "input" : files.front(), 0, "the corpus has no words");
  return size;
}

}  // namespace rota::io
