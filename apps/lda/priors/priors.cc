#include "apps/lda/priors/priors.h"

#include <algorithm>
#include <cmath>

namespace rota::lda {
namespace {

constexpr std::uint64_t kAddedUp = 24;  // up to that number, terms are simply added
constexpr double kLarge = 16;           // from here on the series below is exact to the last bits

// psi(x) - ln x, for x >= kLarge (Abramowitz and Stegun, Handbook of Mathematical Functions, 6.3.18).
double below_log(double x) {
  const double y = 1 / (x * x);
  return -0.5 / x - y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132)))));
}

// ln x to about one unit in the last place.  REQUIRES: x positive, finite and not subnormal.
double exact_log(double x) {
  constexpr double kLn2High = 0x1.62e42fefa38p-1, kLn2Low = 0x1.ef35793c7673p-45;  // the first has room for exponents
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact
  if (m < 0x1.6a09e667f3bcdp-1) {       // sqrt(1/2)
    m *= 2;
    --exponent;
  }
  // ln m = 2 artanh(s), |s| < 0.172
  const double s = (m - 1) / (m + 1), y = s * s;
  double sum = 0;
  for (int n = 23; n >= 3; n -= 2) sum = (sum + 1.0 / n) * y;
  return exponent * kLn2High + (2 * s + (2 * s * sum + exponent * kLn2Low));
}

}  // namespace

double digamma_rise(double x, std::uint64_t n) {
  double sum = 0;
  if (n <= kAddedUp) {
    for (std::uint64_t i = 0; i < n; ++i) sum += 1 / (x + static_cast<double>(i));
    return sum;
  }
  const double end = x + static_cast<double>(n);
  while (x < kLarge) {
    sum += 1 / x;
    x += 1;
  }
  return sum + exact_log(end / x) + (below_log(end) - below_log(x));
}

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

void learn_beta(const PriorStatistics& statistics, Priors& priors) {
  const auto words = static_cast<double>(statistics.words);
  for (int i = 0; i < kMostIterations; ++i) {
    const double before = priors.beta;
    double rise_of_sums = 0;
    for (const std::int64_t total : statistics.totals)
      rise_of_sums += digamma_rise(words * before, static_cast<std::uint64_t>(total));
    priors.beta = step(before, rise_over(statistics.word_counts, before), words * rise_of_sums);
    if (!moved(before, priors.beta)) return;
  }
}

}  // namespace

Priors learned_priors(const PriorStatistics& statistics, WhichPriors which) {
  Priors priors = statistics.priors;
  if (which.alpha && !statistics.document_lengths.empty()) learn_alphas(statistics, priors);
  if (which.beta && !statistics.word_counts.empty()) learn_beta(statistics, priors);
  return priors;
}

}  // namespace rota::lda
