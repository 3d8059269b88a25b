// apps/lda/priors/prior_statistics.h -- the statistics of all tokens' topics for learning alpha and beta: histograms,
// which add up exactly, so that the result does not depend on the number of shards.
//
// A shard's note in a round of the table of priors:
//   topics: varint        a histogram (count_histogram.h) of n_dk for each topic, over the documents
//   a histogram of N_d    a histogram of n_wk, over the words of the slices that the shard visited last
//   common: u8            1 from the shard that reports common data (Shape::speaks_for_all), and then
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
  Priors priors;                      // the current ones

  void encode(Writer& out) const;
  // Calls in.fail() if it is invalid.
  static PriorStatistics decode(Reader& in);
  // Throws std::runtime_error if the two are not of the same job.
  void add(PriorStatistics&& other);
};

}  // namespace rota::lda
