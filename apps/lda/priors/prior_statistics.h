// apps/lda/priors/prior_statistics.h -- the statistics of all tokens' topics for learning alpha and beta: histograms,
// which add up exactly, so that the result does not depend on the number of shards.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "apps/lda/priors/count_histogram.h"
#include "apps/lda/priors/priors.h"
#include "apps/lda/sampler/shard_tokens.h"
#include "apps/lda/sampler/word_topic_slice.h"
#include "rota/fields.h"

namespace rota::lda {

// A shard's note in a round of the table of priors, or the sum of such notes.
struct PriorStatistics {
  std::vector<CountHistogram> topic_counts;  // of each topic, n_dk over the documents
  CountHistogram document_lengths;           // N_d
  CountHistogram word_counts;                // n_wk, over the words of the slices that the shard visited last

  // What all shards know, from the one that reports it (Shape::speaks_for_all).
  struct Common {
    std::uint64_t words = 0;            // V
    std::vector<std::uint64_t> totals;  // n_k
    Priors priors;                      // the current ones

    void fields(auto& list) { list(words, totals, priors); }
  };
  std::optional<Common> common;

  void fields(auto& list) { list(topic_counts, document_lengths, word_counts, common); }
  // Throws std::runtime_error if the two are not of the same job.
  void add(PriorStatistics&& other);
};

// One shard's counts for learning.
class PriorCounts {
 public:
  // The words of a slice that was visited for the last time in an epoch that learns beta.
  void add_slice(const WordTopicSlice& rows);
  // The histograms: for alpha those of the documents, for beta those of the slices, which are then cleared.
  PriorStatistics take(bool alpha, bool beta, std::uint32_t topics, const ShardTokens& tokens);

  // Of the committed replicated words.  They are the same for all shards, so only one of them counts them.
  void set_replicated(CountHistogram counts) { replicated_ = std::move(counts); }
  const CountHistogram& replicated() const { return replicated_; }

 private:
  CountHistogram slices_, replicated_;
};

}  // namespace rota::lda
