#include "apps/lda/held_out/new_documents.h"

#include <span>

#include "rota/error.h"
#include "rota/io/corpus.h"

namespace rota::lda {

NewDocuments read_new_documents(const std::vector<std::string>& files, std::string_view format,
                                const std::vector<std::string>& vocabulary) {
  NewDocuments read;
  io::Vocabulary words;
  std::vector<io::WordCount> all;  // checked at the end: a document's number may be too large
  const auto keep = [&](std::span<const io::WordCount> counts) { all.insert(all.end(), counts.begin(), counts.end()); };
  const bool nameless = has_numbers(vocabulary.size(), [&](std::size_t w) { return vocabulary[w]; });
  const io::CorpusSize size =
      io::read_corpus(files, io::corpus_format(format), words, keep, {.end = vocabulary.size(), .leave_out = nameless});
  read.documents.resize(size.documents);
  for (const io::WordCount& each : all) read.documents[each.document].push_back({each.word, each.count});
  read.tokens = size.tokens;
  if (size.format == io::CorpusFormat::lda_c) {
    read.unknown = size.left_out;
    return read;
  }
  if (words.size() == 0) {  // a bag of words
    if (size.words != vocabulary.size())
      throw DataError(files.front(), 2,
                      "the corpus has " + std::to_string(size.words) + " words, but the model has " +
                          std::to_string(vocabulary.size()));
    return read;
  }
  const std::vector<std::uint32_t> in_model = numbers_in_model(words, vocabulary);
  for (NewDocument& document : read.documents) {
    std::size_t kept = 0;
    for (const WordInDocument each : document) {
      if (in_model[each.word] == kUnknownWord)
        read.unknown += each.count;
      else
        document[kept++] = {in_model[each.word], each.count};
    }
    document.resize(kept);
  }
  read.tokens -= read.unknown;
  return read;
}

}  // namespace rota::lda
