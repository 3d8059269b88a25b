#include "apps/lda/held_out/new_documents.h"

#include <span>

namespace rota::lda {

NewDocuments read_new_documents(const std::vector<std::string>& files, const io::CorpusForm& form,
                                const std::vector<std::string>& vocabulary) {
  NewDocuments read;
  io::Vocabulary words;
  std::vector<io::WordCount> all;  // checked at the end: a document's number may be too large
  const auto keep = [&](std::span<const io::WordCount> counts) { all.insert(all.end(), counts.begin(), counts.end()); };
  const io::CorpusSize size =
      io::read_corpus(files, form, words, keep, {.end = vocabulary.size(), .leave_out = has_numbers(vocabulary)});
  const std::vector<std::uint32_t> in_model = numbers_in_model(words.words(), vocabulary);
  read.documents.resize(size.documents);
  read.tokens = size.tokens;
  read.unknown = size.left_out;
  for (const io::WordCount& each : all) {
    const std::uint32_t word = size.named ? in_model[each.word] : each.word;
    if (word != kUnknownWord) {
      read.documents[each.document].push_back({word, each.count});
    } else {
      read.tokens -= each.count;
      read.unknown += each.count;
    }
  }
  return read;
}

}  // namespace rota::lda
