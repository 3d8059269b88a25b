// apps/lda/held_out/fold_in.cc
#include <algorithm>
#include <cmath>

#include "apps/lda/held_out/new_documents.h"

namespace rota::lda {

FoldIn::FoldIn(const TrainedModel& model, std::uint32_t iterations, double tolerance)
    : model_(model),
      iterations_(iterations),
      tolerance_(tolerance),
      topics_(model.totals.size()),
      shares_(topics_),
      weights_(topics_) {}

void FoldIn::begin(const NewDocument& document) {
  NewDocument words = document;
  std::sort(words.begin(), words.end(), [](WordInDocument a, WordInDocument b) { return a.word < b.word; });
  counts_.clear();
  phi_.clear();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == 0 || words[i].word != words[i - 1].word) {
      counts_.push_back(0);
      phi_.resize(phi_.size() + topics_);
      phi_of_word(model_, words[i].word, std::span(phi_).last(topics_));
    }
    counts_.back() += words[i].count;
  }
  double length = 0;
  for (const double count : counts_) length += count;
  r_.assign(phi_.size(), 1 / static_cast<double>(topics_));
  expected_.assign(topics_, length / static_cast<double>(topics_));
  for (std::size_t k = 0; k < topics_; ++k)
    shares_[k] = (expected_[k] + model_.priors.alphas[k]) / (length + model_.priors.alpha_sum());
}

void FoldIn::visit(std::size_t word) {
  const double count = counts_[word];
  const std::span<const double> phi = std::span(phi_).subspan(word * topics_, topics_);
  const std::span<double> r = std::span(r_).subspan(word * topics_, topics_);
  double sum = 0;
  for (std::size_t k = 0; k < topics_; ++k) {
    weights_[k] = (std::max(expected_[k] - r[k], 0.0) + model_.priors.alphas[k]) * phi[k];
    sum += weights_[k];
  }
  for (std::size_t k = 0; k < topics_; ++k) {
    const double now = weights_[k] / sum;
    expected_[k] += count * (now - r[k]);
    r[k] = now;
  }
}

std::span<const double> FoldIn::shares(const NewDocument& document) {
  begin(document);
  double length = 0;
  for (const double count : counts_) length += count;
  const double all = length + model_.priors.alpha_sum();
  for (std::uint32_t i = 0; i < iterations_ && !counts_.empty(); ++i) {
    for (std::size_t w = 0; w < counts_.size(); ++w) visit(w);
    double moved = 0;
    for (std::size_t k = 0; k < topics_; ++k) {
      const double share = (std::max(expected_[k], 0.0) + model_.priors.alphas[k]) / all;
      moved = std::max(moved, std::abs(share - shares_[k]));
      shares_[k] = share;
    }
    if (moved <= tolerance_) break;
  }
  return shares_;
}

}  // namespace rota::lda
