// apps/lda/sampler/topic_totals.cc
#include "apps/lda/sampler/topic_totals.h"

#include <algorithm>
#include <cmath>

#include "apps/lda/sampler/cell_kernel.h"

namespace rota::lda {

TopicTotals::TopicTotals(std::uint32_t topics, double v_beta, double beta)
    : topics_(topics),
      v_beta_(v_beta),
      beta_(static_cast<float>(beta)),
      committed_(topics),
      totals_(padded(topics)),
      inverse_(padded(topics)),
      phi_(phi_places(topics)) {
  derive();
}

void TopicTotals::set_beta(double v_beta, double beta) {
  v_beta_ = v_beta;
  beta_ = static_cast<float>(beta);
  derive();
}

void TopicTotals::commit(std::span<const double> totals) {
  for (std::uint32_t k = 0; k < topics_; ++k) committed_[k] = totals_[k] = static_cast<std::int64_t>(totals[k]);
  derive();
}

void TopicTotals::derive() {
  for (std::uint32_t k = 0; k < topics_; ++k) {
    inverse_[k] = 1.0F / static_cast<float>(static_cast<double>(totals_[k]) + v_beta_);
    phi_[k] = beta_ * inverse_[k];
  }
}

void TopicTotals::changes(std::span<double> to) const {
  for (std::uint32_t k = 0; k < topics_; ++k) to[k] = static_cast<double>(totals_[k] - committed_[k]);
}

void TopicTotals::phi_of(const WordRow& row, std::span<float> to) const {
  std::copy_n(phi_.data(), to.size(), to.begin());
  for (const TopicCount cell : row) to[cell.topic] = (static_cast<float>(cell.count) + beta_) * inverse_[cell.topic];
}

double TopicTotals::distance(std::span<const double> truth) const {
  double sum = 0;
  for (std::uint32_t k = 0; k < topics_; ++k) sum += std::abs(static_cast<double>(totals_[k]) - truth[k]);
  return sum;
}

}  // namespace rota::lda
