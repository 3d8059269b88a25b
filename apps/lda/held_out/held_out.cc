#include "apps/lda/held_out/held_out.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "apps/lda/sampler/cell_kernel.h"
#include "rota/numerics/portable_math.h"
#include "rota/seed_mixer.h"

namespace rota::lda {

namespace {

// Lanes of the sums: a fixed number, so that all processors add in one order.
using Lanes = float[kLanes];

// Priors at the limits of their range can make a product of floats underflow to 0.
constexpr double kLeastWeight = 1e-30;

double sum_of(const Lanes& lanes) {
  double sum = 0;
  for (const float lane : lanes) sum += static_cast<double>(lane);
  return sum;
}

}  // namespace

HeldOut::HeldOut(const Priors& priors, std::uint64_t seed, std::uint64_t first, std::uint64_t step,
                 std::uint32_t documents, std::span<const io::WordCount> counts)
    : topics_(priors.topics()),
      width_(padded(topics_)),
      observed_tokens_(documents),
      alphas_(width_),
      weights_(width_) {
  set_priors(priors);
  std::vector<io::WordCount> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), [](const io::WordCount& a, const io::WordCount& b) {
    return a.word != b.word ? a.word < b.word : a.document < b.document;
  });
  for (std::size_t i = 0; i < sorted.size();) {
    const std::uint32_t word = sorted[i].word, document = sorted[i].document;
    Pair pair{document, 0, 0};
    std::uint64_t draw = mixed({seed, first + document * step, word}), bits = 0;
    unsigned left = 0;
    for (; i < sorted.size() && sorted[i].word == word && sorted[i].document == document; ++i) {
      for (std::uint32_t c = 0; c < sorted[i].count; ++c, --left, bits >>= 1) {
        if (left == 0) bits = next_mixed(draw), left = 64;
        ++((bits & 1) == 0 ? pair.observed : pair.hidden);
      }
    }
    if (words_.empty() || words_.back().word != word)
      words_.push_back({word, static_cast<std::uint32_t>(pairs_.size())});
    observed_tokens_[document] += pair.observed;
    hidden_tokens_ += pair.hidden;
    pairs_.push_back(pair);
  }
  words_.push_back({std::numeric_limits<std::uint32_t>::max(), static_cast<std::uint32_t>(pairs_.size())});
  expected_.assign(std::size_t{width_} * documents, 0);
  next_.assign(expected_.size(), 0);
  for (std::uint32_t d = 0; d < documents; ++d)
    for (std::uint32_t k = 0; k < topics_; ++k)
      expected_[std::size_t{d} * width_ + k] = static_cast<float>(observed_tokens_[d] / topics_);
}

void HeldOut::attach(const Cut& cut) {
  group_begin_.assign(1, 0);
  const auto add_group = [&](const std::vector<Key>& keys) {
    for (std::size_t row = 0; row < keys.size(); ++row) {
      const auto at = std::lower_bound(words_.begin(), words_.end() - 1, keys[row],
                                       [](const Word& word, Key wanted) { return word.word < wanted; });
      if (at->word != keys[row]) continue;
      rows_.push_back(static_cast<std::uint32_t>(row));
      order_.push_back(static_cast<std::uint32_t>(at - words_.begin()));
    }
    group_begin_.push_back(rows_.size());
  };
  for (const auto& keys : cut.slices) add_group(keys);
  add_group(cut.replicated);
  if (rows_.size() + 1 != words_.size()) throw std::logic_error("the cut lacks a held-out word");
}

std::span<const std::uint32_t> HeldOut::rows(SliceId b) const {
  if (b + std::size_t{1} >= group_begin_.size()) return {};
  return std::span(rows_).subspan(group_begin_[b], group_begin_[b + 1] - group_begin_[b]);
}

void HeldOut::set_priors(const Priors& priors) {
  for (std::uint32_t k = 0; k < topics_; ++k) alphas_[k] = static_cast<float>(priors.alphas[k]);
  alpha_sum_ = priors.alpha_sum();
}

void HeldOut::visit(SliceId b, std::size_t i, std::span<const float> phi, bool score) {
  const std::size_t word = order_[group_begin_[b] + i];
  for (std::size_t at = words_[word].begin; at < words_[word + 1].begin; ++at) visit(pairs_[at], phi, score);
}

void HeldOut::visit(const Pair& pair, std::span<const float> phi, bool score) {
  const float* const expected = expected_.data() + std::size_t{pair.document} * width_;
  Lanes lanes{};
  for (std::uint32_t k = 0; k < width_; k += kLanes) {
    for (std::uint32_t l = 0; l < kLanes; ++l) {
      weights_[k + l] = (expected[k + l] + alphas_[k + l]) * phi[k + l];
      lanes[l] += weights_[k + l];
    }
  }
  const double sum = std::max(sum_of(lanes), kLeastWeight);
  if (score && pair.hidden > 0) {
    score_.log_probability += pair.hidden * logarithm(sum / (observed_tokens_[pair.document] + alpha_sum_));
    score_.tokens += pair.hidden;
  }
  if (pair.observed == 0) return;

  // A token's own share is subtracted from its document's counts.  It is not stored but estimated with current values.
  const auto inverse = static_cast<float>(1 / sum);
  Lanes others{};
  for (std::uint32_t k = 0; k < width_; k += kLanes) {
    for (std::uint32_t l = 0; l < kLanes; ++l) {
      const float without = expected[k + l] - weights_[k + l] * inverse;
      weights_[k + l] = ((without > 0 ? without : 0) + alphas_[k + l]) * phi[k + l];
      others[l] += weights_[k + l];
    }
  }
  const auto share = static_cast<float>(pair.observed / std::max(sum_of(others), kLeastWeight));
  float* const next = next_.data() + std::size_t{pair.document} * width_;
  for (std::uint32_t k = 0; k < width_; ++k) next[k] += weights_[k] * share;
}

HeldOutScore HeldOut::end_epoch() {
  expected_.swap(next_);
  std::fill(next_.begin(), next_.end(), 0.0F);
  // Rounding may make a probability larger than 1.
  score_.log_probability = std::min(score_.log_probability, 0.0);
  return std::exchange(score_, {});
}

std::vector<float> HeldOut::expected() const {
  std::vector<float> expected;
  expected.reserve(documents() * topics_);
  for (std::size_t d = 0; d < documents(); ++d)
    expected.insert(expected.end(), expected_.begin() + static_cast<std::ptrdiff_t>(d * width_),
                    expected_.begin() + static_cast<std::ptrdiff_t>(d * width_ + topics_));
  return expected;
}

bool HeldOut::set_expected(std::span<const float> expected) {
  if (expected.size() != documents() * topics_) return false;
  for (const float each : expected)
    if (!(each >= 0 && std::isfinite(each))) return false;
  for (std::size_t d = 0; d < documents(); ++d)
    std::copy_n(expected.begin() + static_cast<std::ptrdiff_t>(d * topics_), topics_,
                expected_.begin() + static_cast<std::ptrdiff_t>(d * width_));
  std::fill(next_.begin(), next_.end(), 0.0F);
  score_ = {};
  return true;
}

}  // namespace rota::lda
