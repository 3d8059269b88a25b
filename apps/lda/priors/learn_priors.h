// apps/lda/priors/learn_priors.h -- alpha and beta that maximise the likelihood of the tokens' topics.
//
// Fixed-point iterations (Minka, "Estimating a Dirichlet distribution", 2000, equation 55) from histograms of the
// counts (Wallach, "Structured topic models for language", thesis, Cambridge 2008, section 2.3).  With A = sum_k
// alpha_k and psi the digamma function,
//
//   alpha_k  <-  (alpha_k sum_d [psi(n_dk + alpha_k) - psi(alpha_k)] + c) / (sum_d [psi(N_d + A) - psi(A)] + 1)
//   beta     <-  (beta sum_wk [psi(n_wk + beta) - psi(beta)] + c) / (V sum_k [psi(n_k + V beta) - psi(V beta)] + 1)
//
// c and 1 are those of a Gamma(1 + c, 1) prior, so weak that it matters only for a topic without tokens, whose alpha
// becomes small but not 0.  With one alpha for all topics the sum over d is over d and k, and the denominator's sum is
// multiplied by K.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "apps/lda/priors/priors.h"
#include "rota/fields.h"

namespace rota::lda {

// How often each count occurs.  The sum of the histograms of parts is exactly the histogram of the whole, so that the
// result does not depend on the number of shards.
//
// Encoded: the number of different counts: varint; then for each, ascending: the count less the previous one, and its
// frequency: varints, both at least 1.
class CountHistogram {
 public:
  // Zeros are not counted.
  void add(std::uint32_t count, std::uint64_t times = 1) {
    if (count == 0 || times == 0) return;
    if (count >= kSmall) {
      large_[count] += times;
      return;
    }
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

  void encode(Writer& out) const;
  // Calls in.fail() if it is invalid.
  void decode(Reader& in);

  friend bool operator==(const CountHistogram&, const CountHistogram&) = default;

 private:
  static constexpr std::uint32_t kSmall = 256;
  std::vector<std::uint64_t> small_;              // times of the counts below kSmall; the last is not 0
  std::map<std::uint32_t, std::uint64_t> large_;  // of the others
};

// A shard's note in a round of the table of priors, or the sum of such notes.
struct PriorStatistics {
  std::vector<CountHistogram> topic_counts;  // of each topic, n_dk over the documents
  CountHistogram document_lengths;           // N_d
  CountHistogram word_counts;                // n_wk, over the words of the slices that the shard visited last

  // What all shards know, from the one that reports it (Shape::speaks_for_all).
  struct Common {
    std::uint64_t words = 0;            // V
    std::vector<std::uint64_t> totals;  // n_k
    Priors priors;                      // the current ones

    void fields(auto& list) { list(words, totals, priors); }
  };
  std::optional<Common> common;

  void fields(auto& list) { list(topic_counts, document_lengths, word_counts, common); }
  // Throws std::runtime_error if the two are not of the same job.
  void add(PriorStatistics&& other);
};

struct WhichPriors {
  bool alpha = false;
  bool one_alpha = false;  // for all topics
  bool beta = false;
};

// REQUIRES: statistics.common.  A parameter that is not to be learned stays unchanged.
Priors learned_priors(const PriorStatistics& statistics, WhichPriors which);

// psi(x + n) - psi(x) = sum_{i < n} 1 / (x + i).  REQUIRES: x > 0.
//
// Learned parameters are part of the model, so it uses only operations that IEEE 754 rounds in one way: the C library's
// own logarithm may differ in the last bit between versions and processors.
double digamma_rise(double x, std::uint64_t n);

}  // namespace rota::lda
