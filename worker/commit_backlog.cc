#include "worker/commit_backlog.h"

#include <algorithm>

namespace rota {

std::vector<CommitBacklog::Round> CommitBacklog::between(std::uint64_t begin, std::uint64_t end) const {
  std::vector<Round> out;
  for (std::uint64_t i = begin; i < std::min(end, come()); ++i) out.push_back(rounds_[i - first_]);
  return out;
}

void CommitBacklog::forget_before(std::uint64_t seen) {
  for (; first_ < seen && !rounds_.empty(); ++first_) rounds_.pop_front();
}

}  // namespace rota
