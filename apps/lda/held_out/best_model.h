// apps/lda/held_out/best_model.h -- what a shard keeps of the epoch with the best score, so that the job can end with
// it.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "apps/lda/priors/priors.h"
#include "apps/lda/sampler/row_change.h"
#include "apps/lda/sampler/token_layout.h"
#include "apps/lda/sampler/topic_totals.h"

namespace rota::lda {

struct BestModel {
  std::vector<std::uint16_t> topics;  // of the tokens; none before the first score
  Priors priors;

  void keep(std::span<const std::uint16_t> token_topics, const Priors& now) {
    topics.assign(token_topics.begin(), token_topics.end());
    priors = now;
  }
  // Gives a word's tokens back the topics that they had.
  void bring_back(const WordTokens& word, std::span<std::uint16_t> token_topics, TopicTotals& totals,
                  RowChange& row) const {
    for (std::uint32_t i = word.begin; i < word.end; ++i) {
      row.remove(std::exchange(token_topics[i], topics[i]), totals);
      row.add(topics[i], totals);
    }
  }
};

}  // namespace rota::lda
