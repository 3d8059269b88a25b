#include "apps/lda/priors/learn_priors.h"

#include <algorithm>
#include <cmath>

#include "apps/lda/priors/digamma.h"

namespace rota::lda {

namespace {

constexpr double kPriorCount = 0.001;  // c
// The sampler continues between two re-estimates, so the last digits are not worth their time.
constexpr int kMostIterations = 50;
constexpr double kTolerance = 1e-4;

// sum over the counts n of psi(n + x) - psi(x)
double rise_over(const CountHistogram& counts, double x) {
  double sum = 0, rise = 0;
  std::uint32_t before = 0;
  counts.for_each([&](std::uint32_t count, std::uint64_t times) {
    rise += digamma_rise(x + before, count - before);
    sum += static_cast<double>(times) * rise;
    before = count;
  });
  return sum;
}

double step(double prior, double rise, double rise_of_sums) {
  return std::clamp((prior * rise + kPriorCount) / (rise_of_sums + 1), kLeastPrior, kMostPrior);
}

// Whether another iteration is worthwhile.
bool moved(double before, double after) {
  return std::abs(after - before) > kTolerance * before;
}

void learn_alphas(const PriorStatistics& statistics, Priors& priors) {
  for (int i = 0; i < kMostIterations; ++i) {
    const double before = priors.alpha_sum();
    const double rise_of_sums = rise_over(statistics.document_lengths, before);
    bool goes_on = false;
    for (std::uint32_t k = 0; k < priors.topics(); ++k) {
      const double old = priors.alphas[k];
      priors.alphas[k] = step(old, rise_over(statistics.topic_counts[k], old), rise_of_sums);
      goes_on = goes_on || moved(old, priors.alphas[k]);
    }
    if (!goes_on) return;
  }
}

void learn_one_alpha(const PriorStatistics& statistics, Priors& priors) {
  CountHistogram all;
  for (const CountHistogram& counts : statistics.topic_counts) all.add(counts);
  const auto topics = static_cast<double>(priors.topics());
  double alpha = priors.alpha_sum() / topics;
  for (int i = 0; i < kMostIterations; ++i) {
    const double before = alpha;
    alpha = step(before, rise_over(all, before), topics * rise_over(statistics.document_lengths, topics * before));
    if (!moved(before, alpha)) break;
  }
  priors.alphas.assign(priors.alphas.size(), alpha);
}

void learn_beta(const PriorStatistics& statistics, Priors& priors) {
  const auto words = static_cast<double>(statistics.common->words);
  for (int i = 0; i < kMostIterations; ++i) {
    const double before = priors.beta;
    double rise_of_sums = 0;
    for (const std::uint64_t total : statistics.common->totals) rise_of_sums += digamma_rise(words * before, total);
    priors.beta = step(before, rise_over(statistics.word_counts, before), words * rise_of_sums);
    if (!moved(before, priors.beta)) return;
  }
}

}  // namespace

Priors learned_priors(const PriorStatistics& statistics, WhichPriors which) {
  Priors priors = statistics.common->priors;
  if (which.alpha && !statistics.document_lengths.empty())
    which.one_alpha ? learn_one_alpha(statistics, priors) : learn_alphas(statistics, priors);
  if (which.beta && !statistics.word_counts.empty()) learn_beta(statistics, priors);
  return priors;
}

}  // namespace rota::lda
