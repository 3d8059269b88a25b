// apps/lda/held_out/left_to_right.cc
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "apps/lda/held_out/new_documents.h"
#include "apps/lda/sampler/cell_kernel.h"

namespace rota::lda {

LeftToRight::LeftToRight(const TrainedModel& model, std::uint32_t particles, bool resample)
    : model_(model),
      resample_(resample),
      topics_(model.totals.size()),
      width_(padded(static_cast<std::uint32_t>(topics_))),
      particles_(particles),
      weights_(width_),
      blocks_(width_ / kLanes) {}

void LeftToRight::begin(const NewDocument& document) {
  std::unordered_map<std::uint32_t, std::uint32_t> places;
  std::vector<double> phi(topics_);
  tokens_.clear();
  phi_.clear();
  for (const WordInDocument each : document) {
    const auto [at, is_new] = places.emplace(each.word, static_cast<std::uint32_t>(places.size()));
    tokens_.insert(tokens_.end(), each.count, at->second);
    if (!is_new) continue;
    phi_of_word(model_, each.word, phi);
    const std::size_t begin = phi_.size();
    phi_.resize(begin + width_);
    for (std::size_t k = 0; k < topics_; ++k) phi_[begin + k] = static_cast<float>(phi[k]);
  }
  for (Particle& particle : particles_) {
    particle.topics.assign(tokens_.size(), 0);
    particle.tokens.assign(topics_, 0);
    particle.counts.assign(width_, 0);
    for (std::size_t k = 0; k < topics_; ++k) particle.counts[k] = static_cast<float>(model_.priors.alphas[k]);
  }
}

// Counting up and down in floats would lose a small alpha, so the sum is computed from the count.
void LeftToRight::count(Particle& particle, std::uint16_t topic, std::uint32_t by) const {
  particle.tokens[topic] += by;
  particle.counts[topic] = static_cast<float>(particle.tokens[topic] + model_.priors.alphas[topic]);
}

// The weights (n_k + alpha_k) phi_wk of all topics, and their sum.
double LeftToRight::weigh(const Particle& particle, std::uint32_t word) {
  const float* const phi = phi_.data() + word * width_;
  double sum = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    float* const weights = weights_.data() + b * kLanes;
    for (std::uint32_t l = 0; l < kLanes; ++l) weights[l] = particle.counts[b * kLanes + l] * phi[b * kLanes + l];
    float fours[4];
    for (std::uint32_t l = 0; l < 4; ++l) fours[l] = (weights[l] + weights[l + 4]) + (weights[l + 8] + weights[l + 12]);
    sum += static_cast<double>((fours[0] + fours[1]) + (fours[2] + fours[3]));
    blocks_[b] = sum;
  }
  return sum;
}

// A topic in proportion to the weights.
std::uint16_t LeftToRight::draw(double sum, Random& random) const {
  const double target = random.uniform() * sum;
  std::size_t block = 0;
  while (block + 1 < blocks_.size() && blocks_[block] <= target) ++block;
  double before = block == 0 ? 0 : blocks_[block - 1];
  const std::size_t end = std::min((block + 1) * kLanes, topics_);
  std::size_t topic = block * kLanes;
  for (; topic + 1 < end; ++topic) {
    before += static_cast<double>(weights_[topic]);
    if (before > target) break;
  }
  return static_cast<std::uint16_t>(topic);
}

double LeftToRight::log_probability(const NewDocument& document, Random& random) {
  begin(document);
  const double alpha_sum = model_.priors.alpha_sum();
  double log_p = 0;
  for (std::size_t n = 0; n < tokens_.size(); ++n) {
    double p = 0;
    for (Particle& particle : particles_) {
      for (std::size_t i = 0; resample_ && i < n; ++i) {
        count(particle, particle.topics[i], ~0U);
        particle.topics[i] = draw(weigh(particle, tokens_[i]), random);
        count(particle, particle.topics[i], 1);
      }
      const double sum = weigh(particle, tokens_[n]);
      p += sum / (static_cast<double>(n) + alpha_sum);
      particle.topics[n] = draw(sum, random);
      count(particle, particle.topics[n], 1);
    }
    log_p += std::log(p / static_cast<double>(particles_.size()));
  }
  return log_p;
}

}  // namespace rota::lda
