// apps/lda/commands/trained_model.h -- a committed model, read from its slices, rows and shards.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/lda/sampler/topic_count.h"
#include "apps/lda/settings.h"
#include "apps/lda/shard_state.h"
#include "rota/model.h"

namespace rota::lda {

struct TrainedModel {
  Settings settings;
  Priors priors;
  std::vector<std::string> vocabulary;
  std::vector<WordRow> words;         // of each word
  std::vector<std::uint64_t> totals;  // of each topic
  std::vector<ShardState> shards;     // empty unless asked for
};

// Throws DataError if a part is missing or damaged.
TrainedModel read_model(const Model& model, bool with_documents);

// phi_wk = (n_wk + beta) / (n_k + V beta) of all topics.
void phi_of_word(const TrainedModel& model, std::uint32_t word, std::span<double> to);

struct TopWord {
  std::uint32_t word, count;
};
// For each topic, the `most` words with the highest counts, highest first; ties in the order of the words.
std::vector<std::vector<TopWord>> top_words(const TrainedModel& model, std::size_t most);

}  // namespace rota::lda
