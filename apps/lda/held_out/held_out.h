// apps/lda/held_out/held_out.h -- one shard's part of the held-out documents, and how well the model predicts them.
//
// Document completion (Wallach, Murray, Salakhutdinov and Mimno, "Evaluation methods for topic models", ICML 2009,
// section 5.1): about half of a document's tokens, chosen once by seed and document, are observed; the others are
// hidden, and the score is their probability given the observed ones:
//
//   log p = sum_w hidden_dw log sum_k theta_dk phi_wk        theta_dk = (m_dk + alpha_k) / (M_d + A)
//
// m_dk is the expected number of the document's M_d observed tokens with topic k.  It is updated by the zero-order
// collapsed variational update (Asuncion, Welling, Smyth and Teh, "On smoothing and inference for topic models", UAI
// 2009, section 3.4), once an epoch for each word, when the slice with phi of that word is in the shard.  So no slice
// moves for it, the result has no noise of its own, and the model does not depend on these documents.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lda/priors/priors.h"
#include "apps/lda/sampler/topic_count.h"
#include "rota/io/corpus.h"
#include "rota/numerics/line_vector.h"
#include "rota/slices.h"

namespace rota::lda {

// Sums over the hidden tokens; the natural logarithm.
struct HeldOutScore {
  double log_probability = 0;
  double tokens = 0;  // their number

  void fields(auto& list) {
    list(log_probability, tokens);
    list.check(log_probability <= 0 && std::isfinite(log_probability) && tokens >= 0 && std::isfinite(tokens));
  }
};

// Documents of this shard, numbered like its training documents.
class HeldOut {
 public:
  HeldOut() = default;
  // The choice of the observed tokens depends on the seed and on `first` + document * `step`.
  HeldOut(const Priors& priors, std::uint64_t seed, std::uint64_t first, std::uint64_t step, std::uint32_t documents,
          std::span<const io::WordCount> counts);

  void attach(const Cut& cut);
  void set_priors(const Priors& priors);
  std::size_t documents() const { return observed_tokens_.size(); }
  std::uint64_t hidden_tokens() const { return hidden_tokens_; }

  // The rows of the documents' words in slice b, or, if b is the number of slices, among the replicated ones.
  std::span<const std::uint32_t> rows(SliceId b) const;
  // Visits the i-th of those words: `phi` has its phi_wk for each topic, and 0 in the padding.  `score`: whether to add
  // to the score.
  void visit(SliceId b, std::size_t i, std::span<const float> phi, bool score);
  // All words were visited: the new m take effect.  Returns the score since the last call.
  HeldOutScore end_epoch();

  // m of all documents, K for each.
  std::vector<float> expected() const;
  // Restores m as at the end of an epoch.  False if the values are not valid.
  bool set_expected(std::span<const float> expected);

 private:
  struct Pair {  // one word in one document
    std::uint32_t document, observed, hidden;
  };
  struct Word {
    std::uint32_t word, begin;  // its pairs begin there; they end where the next word's do
  };
  void visit(const Pair& pair, std::span<const float> phi, bool score);

  std::uint32_t topics_ = 0, width_ = 0;  // width_: K padded
  std::uint64_t hidden_tokens_ = 0;
  std::vector<double> observed_tokens_;  // of each document
  std::vector<Pair> pairs_;              // by word
  std::vector<Word> words_;              // ascending; the last has no pairs
  std::vector<std::uint32_t> rows_;      // of the words in the order of `order_`
  std::vector<std::uint32_t> order_;     // places in words_: slice after slice
  std::vector<std::size_t> group_begin_;
  LineVector<float> expected_, next_;   // m, and its next value
  LineVector<float> alphas_, weights_;  // weights_: scratch
  double alpha_sum_ = 0;
  HeldOutScore score_;
};

}  // namespace rota::lda
