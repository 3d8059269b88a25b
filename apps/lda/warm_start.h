// apps/lda/warm_start.h -- the first topics of the tokens, drawn from an earlier model (--init_model).
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/lda/commands/trained_model.h"
#include "apps/lda/sampler/document_rows.h"
#include "apps/lda/sampler/shard_tokens.h"
#include "apps/lda/sampler/topic_totals.h"
#include "rota/error.h"
#include "rota/random.h"

namespace rota::lda {

// The model for the words of this job.  Constant, so shards may share it.
class OldModel {
 public:
  // Throws UsageError if the number of topics is not this job's, DataError if it has no word of this job.
  OldModel(TrainedModel model, std::uint32_t topics, const std::vector<std::string>& vocabulary)
      : model_(std::move(model)), in_model_(numbers_in_model(vocabulary, model_.vocabulary)) {
    const std::string its_topics = std::to_string(model_.priors.topics());
    if (model_.priors.topics() != topics)
      throw UsageError("--init_model: the model has " + its_topics + " topics, not " + std::to_string(topics) +
                       ": give --topics=" + its_topics);
    // Words without names are those of the same place.
    if (has_numbers(model_.vocabulary) && has_numbers(vocabulary))
      for (std::uint32_t w = 0; w < in_model_.size(); ++w)
        in_model_[w] = w < model_.vocabulary.size() ? w : kUnknownWord;
    for (std::uint32_t& word : in_model_)
      if (word != kUnknownWord && model_.words[word].empty()) word = kUnknownWord;
    if (std::ranges::all_of(in_model_, [](std::uint32_t word) { return word == kUnknownWord; }))
      throw DataError("the model of --init_model", 0, "has no word of this corpus");
  }

  const Priors& priors() const { return model_.priors; }
  // phi_wk of all topics; uniform if the model does not have the word.
  void phi(std::uint32_t word, std::span<double> to) const {
    if (in_model_[word] == kUnknownWord)
      std::ranges::fill(to, 1.0);
    else
      phi_of_word(model_, in_model_[word], to);
  }

  // Draws topics of a word's tokens in proportion to (n_dk + alpha_k) phi_k; each draw sees the earlier ones in its
  // document.
  void draw(const WordTokens& word, std::span<const double> alphas, WordRow& row, ShardTokens& tokens,
            DocumentRows& documents, TopicTotals& totals, Random& random) const {
    std::vector<std::uint32_t> counts(alphas.size());  // n_wk
    std::vector<double> its_phi(alphas.size()), upto(alphas.size());
    std::vector<TopicCount> cells;
    for (const TopicCount cell : row) counts[cell.topic] = cell.count;
    phi(word.word, its_phi);
    for (std::uint32_t i = word.begin; i < word.end; ++i) {
      const std::uint32_t document = tokens.documents()[i];
      documents.counts_of(document, cells);
      std::ranges::copy(alphas, upto.begin());
      for (const TopicCount cell : cells) upto[cell.topic] += cell.count;
      double sum = 0;
      for (std::size_t k = 0; k < upto.size(); ++k) upto[k] = sum += upto[k] * its_phi[k];
      const auto found = std::upper_bound(upto.begin(), upto.end() - 1, random.uniform() * sum);
      const auto topic = static_cast<std::uint16_t>(found - upto.begin());
      tokens.topics()[i] = topic;
      documents.add(document, topic);
      totals.add(topic, 1);
      ++counts[topic];
    }
    row.clear();
    for (std::uint32_t k = 0; k < counts.size(); ++k)
      if (counts[k] > 0) row.push_back({counts[k], static_cast<std::uint16_t>(k)});
  }

 private:
  TrainedModel model_;
  std::vector<std::uint32_t> in_model_;  // the number there of each word of this job
};

}  // namespace rota::lda
