#include "apps/lda/priors/prior_statistics.h"

#include <stdexcept>

namespace rota::lda {

void PriorStatistics::add(PriorStatistics&& other) {
  if (other.topic_counts.size() != topic_counts.size() || (common && other.common))
    throw std::runtime_error("a shard's note on the priors does not belong to this job");
  for (std::size_t k = 0; k < topic_counts.size(); ++k) topic_counts[k].add(other.topic_counts[k]);
  document_lengths.add(other.document_lengths);
  word_counts.add(other.word_counts);
  if (other.common) common = std::move(other.common);
}

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
