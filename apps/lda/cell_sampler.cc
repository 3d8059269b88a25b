// apps/lda/cell_sampler.cc
#include "apps/lda/cell_sampler.h"

#include <algorithm>
#include <utility>

namespace rota::lda {
namespace {

constexpr std::size_t kBatch = 1024;  // tokens given to the kernel at a time

bool by_topic(const TopicCount& a, const TopicCount& b) {
  return a.topic < b.topic;
}

}  // namespace

CellSampler::CellSampler(const Priors& priors)
    : kernel_(choose_kernel(priors.topics())),
      word_(padded(priors.topics())),
      runs_(phi_places(priors.topics())),
      draws_(kBatch) {
  cell_.topics = priors.topics();
  set_priors(priors);
  cell_.word = word_.data();
  cell_.runs = runs_.data();
  cell_.draws = draws_.data();
}

void CellSampler::set_priors(const Priors& priors) {
  cell_.alpha = static_cast<float>(priors.alphas[0]);
  cell_.beta = static_cast<float>(priors.beta);
  cell_.alphas = nullptr;
  if (priors.symmetric()) return;
  alphas_.assign(phi_places(priors.topics()), 0);
  for (std::uint32_t k = 0; k < priors.topics(); ++k) alphas_[k] = static_cast<float>(priors.alphas[k]);
  cell_.alphas = alphas_.data();
}

void CellSampler::begin(Draw draw, TopicTotals& totals, DocumentRows& rows) {
  cell_.draw = draw;
  cell_.v_beta = totals.v_beta();
  cell_.step = totals.step();
  cell_.totals = totals.totals();
  cell_.inverse = totals.inverse();
  cell_.phi = totals.phi();
  cell_.phi_sum = totals.base_phi_sum(cell_.alphas);
  cell_.all_narrow = rows.all_narrow();
  cell_.rows = rows.rows();
  cell_.store = rows.store();
  cell_.wide_store = rows.wide_store();
}

void CellSampler::sample(WordRow& word, std::span<const std::uint32_t> documents, std::span<std::uint16_t> token_topics,
                         Random& random) {
  if (appeared_.size() < documents.size()) appeared_.resize(documents.size());
  cell_.appeared_count = 0;
  spread(word);
  for (std::size_t at = 0; at < documents.size(); at += kBatch) {
    const std::size_t count = std::min(kBatch, documents.size() - at);
    for (std::size_t i = 0; i < count; ++i) draws_[i] = random();
    cell_.appeared = appeared_.data();
    cell_.documents = documents.data() + at;
    cell_.token_topics = token_topics.data() + at;
    cell_.tokens = static_cast<std::uint32_t>(count);
    kernel_(cell_);
  }
  collect(word);
}

// Phi of all topics is that of a word without tokens; makes it that of `word`.
void CellSampler::spread(const WordRow& word) {
  for (const TopicCount each : word) {
    word_[each.topic] = each.count;
    const float phi = (static_cast<float>(each.count) + cell_.beta) * cell_.inverse[each.topic];
    cell_.phi_sum += weight(each.topic) * (static_cast<double>(phi) - static_cast<double>(cell_.phi[each.topic]));
    cell_.phi[each.topic] = phi;
  }
}

// The reverse: takes the counts back into the row, and leaves zeros behind.
void CellSampler::collect(WordRow& word) {
  const auto take = [&](std::uint16_t topic) {
    const float phi = cell_.beta * cell_.inverse[topic];
    cell_.phi_sum += weight(topic) * (static_cast<double>(phi) - static_cast<double>(cell_.phi[topic]));
    cell_.phi[topic] = phi;
    return std::exchange(word_[topic], 0U);
  };
  std::size_t kept = 0;
  for (const TopicCount each : word)
    if (const std::uint32_t count = take(each.topic)) word[kept++] = {count, each.topic};
  word.resize(kept);

  new_cells_.clear();
  for (std::uint32_t i = 0; i < cell_.appeared_count; ++i)
    if (const std::uint32_t count = take(appeared_[i])) new_cells_.push_back({count, appeared_[i]});
  if (new_cells_.empty()) return;
  std::sort(new_cells_.begin(), new_cells_.end(), by_topic);
  word.insert(word.end(), new_cells_.begin(), new_cells_.end());
  std::inplace_merge(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(kept), word.end(), by_topic);
}

}  // namespace rota::lda
