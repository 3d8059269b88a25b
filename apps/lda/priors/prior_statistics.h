// apps/lda/priors/prior_statistics.h -- what must be known of all tokens' topics to learn alpha and beta: histograms,
// which add up over shards exactly, and so to the same for every number of them.
//
// A shard's note in a round of the table of priors:
//   topics: varint        a histogram (count_histogram.h) of n_dk for each topic, over the documents
//   a histogram of N_d    a histogram of n_wk, over the words of the slices that the shard visited last
//   common: u8            1 from the shard that speaks for all, and then
//     words: varint       the totals n_k: varint each      alpha: f64 each      beta: f64
#pragma once
#include <cstdint>
#include <vector>

#include "apps/lda/priors/count_histogram.h"
#include "apps/lda/priors/priors.h"
#include "rota/bytes.h"

namespace rota::lda {

struct PriorStatistics {
  std::vector<CountHistogram> topic_counts;  // of each topic
  CountHistogram document_lengths;
  CountHistogram word_counts;

  bool has_common = false;
  std::uint64_t words = 0;            // V
  std::vector<std::uint64_t> totals;  // of each topic
  Priors priors;                      // as they are now

  void encode(Writer& out) const;
  // in.fail() if it is none.
  static PriorStatistics decode(Reader& in);
  // Throws std::runtime_error if the two do not belong together.
  void add(PriorStatistics&& other);
};

}  // namespace rota::lda
