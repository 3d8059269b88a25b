// apps/lda/sampler/topic_totals.h -- one shard's view of the topic totals n_k: the value as last committed and the
// shard's own changes since.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/lda/sampler/cell_kernel.h"
#include "apps/lda/sampler/word_topic_slice.h"
#include "rota/numerics/line_vector.h"

namespace rota::lda {

class TopicTotals {
 public:
  TopicTotals() = default;
  // V words of parameter beta; no tokens.
  TopicTotals(std::uint32_t topics, double v_beta, double beta)
      : topics_(topics),
        committed_(topics),
        totals_(padded(topics)),
        inverse_(padded(topics)),
        phi_(phi_places(topics)) {
    set_beta(v_beta, beta);
  }

  // The same totals under another beta.
  void set_beta(double v_beta, double beta) {
    v_beta_ = v_beta;
    beta_ = static_cast<float>(beta);
    derive();
  }
  // Sets newly committed totals; own changes become 0.
  void commit(std::span<const double> totals) {
    for (std::uint32_t k = 0; k < topics_; ++k) committed_[k] = totals_[k] = static_cast<std::int64_t>(totals[k]);
    ++commits_;
    derive();
  }
  const std::vector<std::int64_t>& committed() const { return committed_; }
  std::uint64_t commits() const { return commits_; }
  // Adds own tokens whose topic is set, not sampled; inverse() and phi() are not updated yet.
  void add(std::uint32_t topic, std::int64_t tokens) { totals_[topic] += tokens; }
  // Updates inverse() and phi(), with or without the shard's own changes.
  void derive(bool own = true) {
    for (std::uint32_t k = 0; k < topics_; ++k) {
      inverse_[k] = 1.0F / static_cast<float>(static_cast<double>(own ? totals_[k] : committed_[k]) + v_beta_);
      phi_[k] = beta_ * inverse_[k];
    }
  }
  // The shard's changes since the last commit.
  void changes(std::span<double> to) const {
    for (std::uint32_t k = 0; k < topics_; ++k) to[k] = static_cast<double>(totals_[k] - committed_[k]);
  }
  // phi_wk = (n_wk + beta) / (n_k + V beta) of a word, for every topic; `to` has the padding too.
  void phi_of(const WordRow& row, std::span<float> to) const {
    std::copy_n(phi_.data(), to.size(), to.begin());
    for (const TopicCount cell : row) to[cell.topic] = (static_cast<float>(cell.count) + beta_) * inverse_[cell.topic];
  }
  // sum_k |n_k as seen here - truth_k|
  double distance(std::span<const double> truth) const {
    double sum = 0;
    for (std::uint32_t k = 0; k < topics_; ++k) sum += std::abs(static_cast<double>(totals_[k]) - truth[k]);
    return sum;
  }

  // For the kernel; see struct Cell.
  double v_beta() const { return v_beta_; }
  std::int64_t* totals() { return totals_.data(); }
  float* inverse() { return inverse_.data(); }
  float* phi() { return phi_.data(); }

 private:
  std::uint32_t topics_ = 0;
  double v_beta_ = 0;
  float beta_ = 0;
  std::uint64_t commits_ = 0;
  std::vector<std::int64_t> committed_;
  LineVector<std::int64_t> totals_;
  LineVector<float> inverse_;
  LineVector<float> phi_;  // of a word without tokens, except while one is sampled
};

}  // namespace rota::lda
