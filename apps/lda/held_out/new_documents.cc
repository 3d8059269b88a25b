#include "apps/lda/held_out/new_documents.h"

#include <limits>
#include <span>
#include <string_view>
#include <unordered_map>

#include "apps/lda/word_numbers.h"
#include "rota/error.h"
#include "rota/io/corpus.h"

namespace rota::lda {

namespace {

constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

// The number in the model of each word of the input.
std::vector<std::uint32_t> numbers_in_model(const io::Vocabulary& input, const std::vector<std::string>& model) {
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  for (std::uint32_t w = 0; w < model.size(); ++w) numbers.emplace(model[w], w);
  std::vector<std::uint32_t> in_model(input.size(), kUnknown);
  for (std::size_t w = 0; w < input.size(); ++w)
    if (const auto found = numbers.find(input.word(w)); found != numbers.end()) in_model[w] = found->second;
  return in_model;
}

}  // namespace

NewDocuments read_new_documents(const std::vector<std::string>& files, std::string_view format,
                                const std::vector<std::string>& vocabulary) {
  NewDocuments read;
  io::Vocabulary words;
  std::vector<io::WordCount> all;  // checked at the end: a document's number may be too large
  const auto keep = [&](std::span<const io::WordCount> counts) { all.insert(all.end(), counts.begin(), counts.end()); };
  const auto name_of = [&](std::size_t word) -> const std::string& { return vocabulary[word]; };
  const bool nameless = first_number(vocabulary.size(), name_of).has_value();
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
      if (in_model[each.word] == kUnknown)
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
