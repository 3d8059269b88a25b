// apps/lda/priors/prior_counts.h -- one shard's counts for learning alpha and beta.
#pragma once
#include <cstdint>
#include <span>

#include "apps/lda/priors/count_histogram.h"
#include "apps/lda/priors/prior_statistics.h"
#include "apps/lda/sampler/shard_tokens.h"
#include "apps/lda/sampler/word_topic_slice.h"

namespace rota::lda {

class PriorCounts {
 public:
  // The words of a slice that was visited for the last time in an epoch that learns beta.
  void add_slice(const WordTopicSlice& rows);
  // The histograms for learning: of alpha from the documents, of beta from the slices, which are then cleared.
  PriorStatistics take(bool alpha, bool beta, std::uint32_t topics, const ShardTokens& tokens);

  // Of the committed replicated words.  They are the same for all shards, so only one of them counts them.
  void set_replicated(CountHistogram counts) { replicated_ = std::move(counts); }
  const CountHistogram& replicated() const { return replicated_; }

 private:
  CountHistogram slices_, replicated_;
};

}  // namespace rota::lda
