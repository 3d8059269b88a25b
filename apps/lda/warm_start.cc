#include "apps/lda/warm_start.h"

#include <algorithm>
#include <string>

#include "rota/error.h"

namespace rota::lda {

OldModel::OldModel(TrainedModel model, std::uint32_t topics, const std::vector<std::string>& vocabulary)
    : model_(std::move(model)), in_model_(numbers_in_model(vocabulary, model_.vocabulary)) {
  if (model_.priors.topics() != topics)
    throw UsageError("--init_model: the model has " + std::to_string(model_.priors.topics()) + " topics, not " +
                     std::to_string(topics) + ": give --topics=" + std::to_string(model_.priors.topics()));
  // Words without names are those of the same place.
  if (has_numbers(model_.vocabulary) && has_numbers(vocabulary))
    for (std::uint32_t w = 0; w < in_model_.size(); ++w) in_model_[w] = w < model_.vocabulary.size() ? w : kUnknownWord;
  for (std::uint32_t& word : in_model_)
    if (word != kUnknownWord && model_.words[word].empty()) word = kUnknownWord;
  if (std::all_of(in_model_.begin(), in_model_.end(), [](std::uint32_t word) { return word == kUnknownWord; }))
    throw DataError("the model of --init_model", 0, "has no word of this corpus");
}

void OldModel::phi(std::uint32_t word, std::span<double> to) const {
  if (in_model_[word] == kUnknownWord)
    std::fill(to.begin(), to.end(), 1.0);
  else
    phi_of_word(model_, in_model_[word], to);
}

std::uint16_t draw_topic(std::span<const double> document, std::span<const double> alphas, std::span<const double> phi,
                         std::span<double> upto, double uniform) {
  double sum = 0;
  for (std::size_t k = 0; k < phi.size(); ++k) {
    sum += (document[k] + alphas[k]) * phi[k];
    upto[k] = sum;
  }
  const double target = uniform * sum;
  std::size_t topic = 0;
  while (topic + 1 < upto.size() && upto[topic] <= target) ++topic;
  return static_cast<std::uint16_t>(topic);
}

void WarmStart::draw(WordRow& row, const WordTokens& word, Key number, std::span<const double> alphas,
                     ShardTokens& tokens, TopicTotals& totals, Random& random) {
  for (const TopicCount cell : row) counts_[cell.topic] = cell.count;
  old_model_->phi(static_cast<std::uint32_t>(number), phi_);
  for (std::uint32_t i = word.begin; i < word.end; ++i) {
    const std::uint32_t d = tokens.layout().documents()[i];
    tokens.counts_of(d, cells_);
    for (const TopicCount cell : cells_) document_[cell.topic] = cell.count;
    const std::uint16_t topic = draw_topic(document_, alphas, phi_, upto_, random.uniform());
    for (const TopicCount cell : cells_) document_[cell.topic] = 0;
    tokens.layout().topics()[i] = topic;
    tokens.rows().add(d, topic);
    ++counts_[topic];
    totals.add(topic, 1);
  }
  row.clear();
  for (std::uint32_t k = 0; k < counts_.size(); ++k)
    if (const std::uint32_t count = std::exchange(counts_[k], 0U))
      row.push_back({count, static_cast<std::uint16_t>(k)});
}

}  // namespace rota::lda
