// apps/lda/priors/priors.h -- alpha and beta, the parameters of the two Dirichlet priors, and learning them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "rota/fields.h"

namespace rota::lda {

// The range of both parameters.
inline constexpr double kLeastPrior = 1e-9, kMostPrior = 1e6;
inline bool is_prior(double value) {
  return value >= kLeastPrior && value <= kMostPrior;
}

struct Priors {
  std::vector<double> alphas;  // of each topic in a document
  double beta = 0;             // of each word in a topic

  std::uint32_t topics() const { return static_cast<std::uint32_t>(alphas.size()); }
  bool symmetric() const {
    return std::all_of(alphas.begin(), alphas.end(), [&](double alpha) { return alpha == alphas.front(); });
  }
  double alpha_sum() const {
    if (symmetric()) return alphas.front() * static_cast<double>(alphas.size());
    double sum = 0;
    for (const double alpha : alphas) sum += alpha;
    return sum;
  }

  // Of counts that are all multiplied by this.
  Priors times(double factor) const {
    Priors more = *this;
    for (double& alpha : more.alphas) alpha *= factor;
    more.beta *= factor;
    return more;
  }

  void fields(auto& list) {
    list(alphas, beta);
    list.check(std::all_of(alphas.begin(), alphas.end(), is_prior) && is_prior(beta));
  }
  friend bool operator==(const Priors&, const Priors&) = default;
};

// How often each count occurs.  The sum of the histograms of parts is exactly the histogram of the whole, so that the
// result does not depend on the number of shards.
class CountHistogram {
 public:
  // Zeros are not counted.
  void add(std::uint32_t count, std::uint64_t times = 1) {
    if (count >= kSmall) large_[count] += times;
    if (count == 0 || count >= kSmall) return;
    if (small_.size() <= count) small_.resize(count + 1);
    small_[count] += times;
  }
  void add(const CountHistogram& other) {
    other.for_each([&](std::uint32_t count, std::uint64_t times) { add(count, times); });
  }
  bool empty() const { return small_.empty() && large_.empty(); }
  // Calls f(count, times), counts ascending.
  template <typename F>
  void for_each(F f) const {
    for (std::uint32_t count = 1; count < small_.size(); ++count)
      if (small_[count] != 0) f(count, small_[count]);
    for (const auto& [count, times] : large_) f(count, times);
  }
  void fields(auto& list) {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> pairs;
    for_each([&](std::uint32_t count, std::uint64_t times) { pairs.emplace_back(count, times); });
    list(pairs);
    if (!list.reads()) return;
    *this = {};
    for (const auto& [count, times] : pairs) add(count, times);
  }
  friend bool operator==(const CountHistogram&, const CountHistogram&) = default;

 private:
  static constexpr std::uint32_t kSmall = 256;    // adding these is quick
  std::vector<std::uint64_t> small_;              // of the counts below kSmall
  std::map<std::uint32_t, std::uint64_t> large_;  // of the others
};

// A shard's note in a round of the table of priors, or the sum of such notes.
struct PriorStatistics {
  std::vector<CountHistogram> topic_counts;  // of each topic, n_dk over the documents
  CountHistogram document_lengths;           // N_d
  CountHistogram word_counts;                // n_wk, over the words of the slices that the shard visited last
  // What all shards know.
  std::uint64_t words = 0;           // V
  std::vector<std::int64_t> totals;  // n_k
  Priors priors;                     // the current ones

  void fields(auto& list) { list(topic_counts, document_lengths, word_counts, words, totals, priors); }
  void add(const PriorStatistics& other) {
    for (std::size_t k = 0; k < topic_counts.size(); ++k) topic_counts[k].add(other.topic_counts.at(k));
    document_lengths.add(other.document_lengths);
    word_counts.add(other.word_counts);
  }
};

// The argument of such a round.
struct WhichPriors {
  bool alpha = false, beta = false;

  bool any() const { return alpha || beta; }
  void fields(auto& list) { list(alpha, beta); }
};

// Alpha and beta that maximise the likelihood of the tokens' topics.
//
// Fixed-point iterations (Minka, "Estimating a Dirichlet distribution", 2000, equation 55) from histograms of the
// counts (Wallach, "Structured topic models for language", thesis, Cambridge 2008, section 2.3).  With A = sum_k
// alpha_k and psi the digamma function,
//
//   alpha_k  <-  (alpha_k sum_d [psi(n_dk + alpha_k) - psi(alpha_k)] + c) / (sum_d [psi(N_d + A) - psi(A)] + 1)
//   beta     <-  (beta sum_wk [psi(n_wk + beta) - psi(beta)] + c) / (V sum_k [psi(n_k + V beta) - psi(V beta)] + 1)
//
// c and 1 are those of a Gamma(1 + c, 1) prior, so weak that it matters only for a topic without tokens, whose alpha
// becomes small but not 0.
//
// A parameter that is not to be learned stays unchanged.
Priors learned_priors(const PriorStatistics& statistics, WhichPriors which);

// psi(x + n) - psi(x) = sum_{i < n} 1 / (x + i).  REQUIRES: x > 0.
//
// Learned parameters are part of the model, so it uses only operations that IEEE 754 rounds in one way: the C library's
// own logarithm may differ in the last bit between versions and processors.
double digamma_rise(double x, std::uint64_t n);

}  // namespace rota::lda
