// apps/lda/commands/trained_model.h -- a committed model, read from its slices, rows and shards.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/lda/priors/priors.h"
#include "apps/lda/sampler/word_topic_slice.h"
#include "rota/io/corpus.h"
#include "rota/model.h"

namespace rota::lda {

struct TrainedModel {
  Priors priors;      // of one copy of each token
  double copies = 1;  // whose counts follow
  std::vector<std::string> vocabulary;
  std::vector<WordRow> words;                      // of each word
  std::vector<std::uint64_t> totals;               // of each topic
  std::vector<std::vector<TopicCount>> documents;  // in the order of the input; none unless asked for
};

std::uint64_t tokens_of(std::span<const TopicCount> cells);

TrainedModel read_model(const Model& model, bool with_documents);

// phi_wk = (n_wk + beta) / (n_k + V beta) of all topics, with beta of all copies.
void phi_of_word(const TrainedModel& model, std::uint32_t word, std::span<double> to);

// The number in the model of each word of a vocabulary, by their names.
inline constexpr std::uint32_t kUnknownWord = ~std::uint32_t{0};
std::vector<std::uint32_t> numbers_in_model(const std::vector<std::string>& words,
                                            const std::vector<std::string>& model);
// Whether words have no names, but their numbers in order, from 0 or 1.
bool has_numbers(const std::vector<std::string>& words);

struct WordInDocument {
  std::uint32_t word, count;
};
// Text: the words in their order, once each.  Other formats: in the order of the file.
using NewDocument = std::vector<WordInDocument>;

// Documents that the model was not trained on.
struct NewDocuments {
  std::vector<NewDocument> documents;
  std::uint64_t tokens = 0;
  std::uint64_t unknown = 0;  // tokens left out because the model does not have the word
};

// The formats are those of training.  Numbers of words are the model's: files that state a number of words must have
// its number; in others, words beyond are left out if the model's words have no names, and refused if they have.
// Throws NoInput or DataError.
NewDocuments read_new_documents(const std::vector<std::string>& files, const io::CorpusForm& form,
                                const std::vector<std::string>& vocabulary);

struct TopWord {
  std::uint32_t word, count;
};
// For each topic, the `most` words with the highest counts, highest first; ties in the order of the words.
std::vector<std::vector<TopWord>> top_words(const TrainedModel& model, std::size_t most);
// For each topic, the words that are among its `most` of highest relevance for one of lambda = 0, 0.1, ..., 1, those
// with the highest counts first.  Relevance (Sievert and Shirley, "LDAvis", 2014), by the shares of tokens, is
//
//   lambda log p(w|k) + (1 - lambda) log (p(w|k) / p(w))  =  log n_wk - (1 - lambda) log n_w + constants of the topic
std::vector<std::vector<TopWord>> relevant_words(const TrainedModel& model, std::size_t most);
// Names of words, with spaces between them.
std::string words_in(const TrainedModel& model, const std::vector<TopWord>& top);

}  // namespace rota::lda
