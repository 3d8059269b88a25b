#include "apps/lda/priors/prior_statistics.h"

#include <limits>
#include <stdexcept>
#include <utility>

namespace rota::lda {

void PriorStatistics::encode(Writer& out) const {
  out.put_varint(topic_counts.size());
  for (const CountHistogram& counts : topic_counts) counts.encode(out);
  document_lengths.encode(out);
  word_counts.encode(out);
  out.put(static_cast<std::uint8_t>(has_common));
  if (!has_common) return;
  out.put_varint(words);
  for (const std::uint64_t total : totals) out.put_varint(total);
  for (const double alpha : priors.alphas) out.put(alpha);
  out.put(priors.beta);
}

PriorStatistics PriorStatistics::decode(Reader& in) {
  PriorStatistics statistics;
  const std::size_t topics = in.get_count(1);
  for (std::size_t k = 0; k < topics && in.ok(); ++k) statistics.topic_counts.push_back(CountHistogram::decode(in));
  statistics.document_lengths = CountHistogram::decode(in);
  statistics.word_counts = CountHistogram::decode(in);
  statistics.has_common = in.get_bounded<std::uint8_t>(1) == 1;
  if (!statistics.has_common || !in.ok()) return statistics;
  statistics.words = in.get_bounded(std::numeric_limits<std::uint32_t>::max());
  for (std::size_t k = 0; k < topics && in.ok(); ++k)
    statistics.totals.push_back(in.get_bounded(std::numeric_limits<std::uint32_t>::max()));
  for (std::size_t k = 0; k < topics && in.ok(); ++k) {
    statistics.priors.alphas.push_back(in.get<double>());
    if (!is_prior(statistics.priors.alphas.back())) in.fail();
  }
  statistics.priors.beta = in.get<double>();
  if (statistics.words == 0 || !is_prior(statistics.priors.beta)) in.fail();
  return statistics;
}

void PriorStatistics::add(PriorStatistics&& other) {
  if (other.topic_counts.size() != topic_counts.size() || (has_common && other.has_common))
    throw std::runtime_error("a shard's note on the priors does not belong to this job");
  for (std::size_t k = 0; k < topic_counts.size(); ++k) topic_counts[k].add(other.topic_counts[k]);
  document_lengths.add(other.document_lengths);
  word_counts.add(other.word_counts);
  if (!other.has_common) return;
  has_common = true;
  words = other.words;
  totals = std::move(other.totals);
  priors = std::move(other.priors);
}

}  // namespace rota::lda
