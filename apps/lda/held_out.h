// apps/lda/held_out.h -- one shard's part of the held-out documents, and how well the model predicts them.
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
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "apps/lda/priors/priors.h"
#include "apps/lda/sampler/cell_kernel.h"
#include "apps/lda/sampler/shard_tokens.h"
#include "rota/io/corpus.h"
#include "rota/numerics/line_vector.h"
#include "rota/numerics/portable_math.h"
#include "rota/numerics/seed_mixer.h"
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
          const Cut& cut, std::span<const io::WordCount> counts)
      : topics_(priors.topics()),
        width_(padded(topics_)),
        observed_tokens_(documents),
        expected_(std::size_t{width_} * documents),
        next_(expected_.size()),
        alphas_(width_),
        weights_(width_) {
    set_priors(priors);
    ShardTokens tokens(cut, counts);
    groups_ = tokens.groups();
    for (auto& words : groups_) {
      for (WordTokens& word : words) {
        const std::span<std::uint32_t> its_documents = tokens.documents().subspan(word.begin, word.count());
        std::ranges::sort(its_documents);
        word.begin = static_cast<std::uint32_t>(pairs_.size());
        for (std::size_t i = 0; i < its_documents.size();) {
          Pair pair{its_documents[i], 0, 0};
          std::uint64_t draw = mixed({seed, first + pair.document * step, word.word}), bits = 0;
          unsigned left = 0;
          for (; i < its_documents.size() && its_documents[i] == pair.document; ++i, --left, bits >>= 1) {
            if (left == 0) bits = next_mixed(draw), left = 64;
            ++((bits & 1) == 0 ? pair.observed : pair.hidden);
          }
          observed_tokens_[pair.document] += pair.observed;
          hidden_tokens_ += pair.hidden;
          pairs_.push_back(pair);
        }
        word.end = static_cast<std::uint32_t>(pairs_.size());
      }
    }
    for (std::uint32_t d = 0; d < documents; ++d)
      for (std::uint32_t k = 0; k < topics_; ++k)
        expected_[std::size_t{d} * width_ + k] = static_cast<float>(observed_tokens_[d] / topics_);
  }

  void set_priors(const Priors& priors) {
    for (std::uint32_t k = 0; k < topics_; ++k) alphas_[k] = static_cast<float>(priors.alphas[k]);
    alpha_sum_ = priors.alpha_sum();
  }
  std::uint64_t hidden_tokens() const { return hidden_tokens_; }

  // The documents' words in every slice, and last the replicated ones.
  const std::vector<std::vector<WordTokens>>& groups() const { return groups_; }
  // Visits one of those words: `phi` has its phi_wk for each topic, and 0 in the padding.
  void visit(const WordTokens& word, std::span<const float> phi) {
    for (std::uint32_t at = word.begin; at < word.end; ++at) visit(pairs_[at], phi);
  }
  // All words were visited: the new m take effect.  Returns the score since the last call.
  HeldOutScore end_epoch() {
    expected_.swap(next_);
    std::ranges::fill(next_, 0.0F);
    // Rounding may make a probability larger than 1.
    score_.log_probability = std::min(score_.log_probability, 0.0);
    return std::exchange(score_, {});
  }

  // m of all documents, padded(K) for each.
  std::vector<float> expected() const { return {expected_.begin(), expected_.end()}; }
  // Restores m as at the end of an epoch.  False if the values are not valid.
  bool set_expected(std::span<const float> expected) {
    const auto valid = [](float m) { return m >= 0 && std::isfinite(m); };
    if (expected.size() != expected_.size() || !std::ranges::all_of(expected, valid)) return false;
    std::ranges::copy(expected, expected_.begin());
    std::ranges::fill(next_, 0.0F);
    score_ = {};
    return true;
  }

 private:
  struct Pair {  // one word in one document
    std::uint32_t document, observed, hidden;
  };
  // Priors at the limits of their range can make a product of floats underflow to 0.
  static constexpr double kLeastWeight = 1e-30;
  void visit(const Pair& pair, std::span<const float> phi) {
    const float* const expected = expected_.data() + std::size_t{pair.document} * width_;
    // Sets the weights (m_k + alpha_k) phi_k and returns their sum.  Lanes: so that all processors add in one order.
    const auto weigh = [&](auto m) {
      float lanes[kLanes] = {};
      for (std::uint32_t k = 0; k < width_; k += kLanes) {
        for (std::uint32_t l = 0; l < kLanes; ++l) {
          weights_[k + l] = (m(k + l) + alphas_[k + l]) * phi[k + l];
          lanes[l] += weights_[k + l];
        }
      }
      double sum = 0;
      for (const float lane : lanes) sum += static_cast<double>(lane);
      return std::max(sum, kLeastWeight);
    };
    const double sum = weigh([&](std::uint32_t k) { return expected[k]; });
    if (pair.hidden > 0) {
      score_.log_probability += pair.hidden * logarithm(sum / (observed_tokens_[pair.document] + alpha_sum_));
      score_.tokens += pair.hidden;
    }
    if (pair.observed == 0) return;

    // A token's own share is subtracted from its document's counts.  It is not stored but estimated with current
    // values.
    const auto inverse = static_cast<float>(1 / sum);
    const auto others = weigh([&](std::uint32_t k) { return std::max(0.0F, expected[k] - weights_[k] * inverse); });
    const auto share = static_cast<float>(pair.observed / others);
    float* const next = next_.data() + std::size_t{pair.document} * width_;
    for (std::uint32_t k = 0; k < width_; ++k) next[k] += weights_[k] * share;
  }

  std::uint32_t topics_ = 0, width_ = 0;  // width_: K padded
  std::uint64_t hidden_tokens_ = 0;
  std::vector<double> observed_tokens_;          // of each document
  std::vector<Pair> pairs_;                      // by word
  std::vector<std::vector<WordTokens>> groups_;  // their begin and end are places in pairs_
  LineVector<float> expected_, next_;            // m, and its next value
  LineVector<float> alphas_, weights_;           // weights_: scratch
  double alpha_sum_ = 0;
  HeldOutScore score_;
};

}  // namespace rota::lda
