// apps/lda/shard_state.cc
#include "apps/lda/shard_state.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace rota::lda {

ShardState ShardState::read(Reader& in) {
  ShardState state;
  Archive list(in);
  list(state);
  if (in.ok() && !state.valid()) in.fail();
  return state;
}

bool ShardState::valid() const {
  if (topics == 0 || topics > std::numeric_limits<std::uint16_t>::max() || shard >= shards) return false;
  if (!(delta_t >= 0 && delta_t <= 2) || committed.size() != topics || priors.topics() != topics) return false;
  std::vector<std::uint32_t> last_seen(topics, 0);  // the document, counted from 1, that had the topic last
  std::uint32_t number = 0;
  for (const DocumentTopics& document : documents) {
    ++number;
    for (const TopicCount cell : document.cells)
      if (cell.topic >= topics || std::exchange(last_seen[cell.topic], number) == number) return false;
  }
  return std::all_of(tokens.of_tokens.begin(), tokens.of_tokens.end(),
                     [&](std::uint16_t topic) { return topic < topics; });
}

}  // namespace rota::lda
