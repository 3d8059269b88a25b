// apps/lda/commands/trained_model.h -- a committed model, read from its slices, rows and shards.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/lda/sampler/topic_count.h"
#include "apps/lda/settings.h"
#include "rota/model.h"

namespace rota::lda {

struct TrainedModel {
  Settings settings;
  Priors priors;      // of one copy of each token
  double copies = 1;  // whose counts follow
  std::vector<std::string> vocabulary;
  std::vector<WordRow> words;                      // of each word
  std::vector<std::uint64_t> totals;               // of each topic
  std::vector<std::vector<TopicCount>> documents;  // in the order of the input; none unless asked for
};

std::uint64_t tokens_of(std::span<const TopicCount> cells);

// Throws DataError if a part is missing or damaged.
TrainedModel read_model(const Model& model, bool with_documents);

// phi_wk = (n_wk + beta) / (n_k + V beta) of all topics, with beta of all copies.
void phi_of_word(const TrainedModel& model, std::uint32_t word, std::span<double> to);

// The number in the model of each word of a vocabulary, by their names.
inline constexpr std::uint32_t kUnknownWord = ~std::uint32_t{0};
std::vector<std::uint32_t> numbers_in_model(const std::vector<std::string>& words,
                                            const std::vector<std::string>& model);
// Whether words have no names, but their numbers in order, from 0 or 1.
bool has_numbers(const std::vector<std::string>& words);

struct TopWord {
  std::uint32_t word, count;
};
// For each topic, the `most` words with the highest counts, highest first; ties in the order of the words.
std::vector<std::vector<TopWord>> top_words(const TrainedModel& model, std::size_t most);

}  // namespace rota::lda
