// apps/lda/sampler/topic_count.h -- one cell of a sparse row of counts.
#pragma once
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace rota::lda {

struct TopicCount {
  std::uint32_t count;
  std::uint16_t topic;

  friend bool operator==(const TopicCount&, const TopicCount&) = default;
};

// The topics of one word: ascending, counts not 0.  Those of a slice may be in its memory; a row that outlives the
// slice must be a copy with its own memory.
using WordRow = std::pmr::vector<TopicCount>;

}  // namespace rota::lda
