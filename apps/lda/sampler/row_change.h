// apps/lda/sampler/row_change.h -- a word's row n_wk while topics of its tokens are set without sampling.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "apps/lda/sampler/topic_count.h"
#include "apps/lda/sampler/topic_totals.h"

namespace rota::lda {

// Between begin() and end() the row's counts are here; n_k is kept up to date meanwhile.
class RowChange {
 public:
  explicit RowChange(std::uint32_t topics) : counts_(topics) {}

  void begin(const WordRow& row) {
    for (const TopicCount cell : row) counts_[cell.topic] += cell.count;
  }
  void add(std::uint16_t topic, TopicTotals& totals) { ++counts_[topic], totals.add(topic, 1); }
  void remove(std::uint16_t topic, TopicTotals& totals) { --counts_[topic], totals.add(topic, -1); }
  // The row, topics ascending.
  void end(WordRow& row) {
    row.clear();
    for (std::uint32_t k = 0; k < counts_.size(); ++k)
      if (const std::int64_t count = std::exchange(counts_[k], 0))
        row.push_back({static_cast<std::uint32_t>(count), static_cast<std::uint16_t>(k)});
  }

 private:
  std::vector<std::int64_t> counts_;  // zeros except between begin() and end()
};

}  // namespace rota::lda
