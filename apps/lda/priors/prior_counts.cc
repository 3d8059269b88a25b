#include "apps/lda/priors/prior_counts.h"

#include <utility>
#include <vector>

namespace rota::lda {

void PriorCounts::add_slice(const WordTopicSlice& rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (const TopicCount cell : rows.row(i)) slices_.add(cell.count);
}

PriorStatistics PriorCounts::take(bool alpha, bool beta, std::uint32_t topics, const ShardTokens& tokens) {
  PriorStatistics statistics;
  statistics.topic_counts.resize(topics);
  std::vector<TopicCount> cells;
  for (std::size_t d = 0; alpha && d < tokens.lengths().size(); ++d) {
    tokens.counts_of(d, cells);
    for (const TopicCount cell : cells) statistics.topic_counts[cell.topic].add(cell.count);
    statistics.document_lengths.add(tokens.lengths()[d]);
  }
  CountHistogram counted = std::exchange(slices_, {});
  if (beta) statistics.word_counts = std::move(counted);
  return statistics;
}

}  // namespace rota::lda
