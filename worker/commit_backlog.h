// worker/commit_backlog.h -- the commits that not all hosted shards have refreshed from.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/rounds/commits.h"

namespace rota {

// Commits are counted as shared rounds are: from 0, in their order.
class CommitBacklog {
 public:
  using Round = std::shared_ptr<const RoundDeltas>;

  void add(RoundDeltas round) { rounds_.push_back(std::make_shared<const RoundDeltas>(std::move(round))); }
  // Commits that have come, those forgotten too.
  std::uint64_t come() const { return first_ + rounds_.size(); }
  // Those from `begin` on, up to `end` (as far as they have come).  REQUIRES that none of them was forgotten.
  std::vector<Round> between(std::uint64_t begin, std::uint64_t end) const;
  // One that has come and was not forgotten.
  const Round& at(std::uint64_t number) const { return rounds_[number - first_]; }
  std::vector<Round> from(std::uint64_t begin) const { return between(begin, come()); }
  // All shards have refreshed from those before `seen`.
  void forget_before(std::uint64_t seen);

 private:
  std::deque<Round> rounds_;
  std::uint64_t first_ = 0;  // the number of the first of them
};

}  // namespace rota
