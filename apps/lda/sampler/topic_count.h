// apps/lda/sampler/topic_count.h -- one cell of a sparse row of counts.
#pragma once
#include <cstdint>
#include <vector>

namespace rota::lda {

struct TopicCount {
  std::uint32_t count;
  std::uint16_t topic;

  friend bool operator==(const TopicCount&, const TopicCount&) = default;
};

// The topics of one word: ascending, counts not 0.
using WordRow = std::vector<TopicCount>;

}  // namespace rota::lda
