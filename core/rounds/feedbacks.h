// core/rounds/feedbacks.h -- puts together what partitions tell a schedule that wishes for less than changes.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/base/status.h"
#include "core/rounds/commits.h"
#include "core/wire/message.h"
#include "rota/job.h"

namespace rota {

// As with Commits, rounds are given out whole and in their own order, whichever partition was first.
class Feedbacks {
 public:
  Feedbacks(std::vector<Table> tables, std::uint32_t partitions)
      : tables_(std::move(tables)), partitions_(partitions) {}

  // A round is out.  An error if check_rows finds one.
  Status begin(const SharedRows& rows);
  // What a partition says; gives the rounds that are whole now, without changes.  An error if it was not due.
  Result<std::vector<RoundDeltas>> add(std::uint32_t partition, const RoundFeedback& feedback);

 private:
  struct Open {
    SharedRows rows;  // without keys and blocks
    std::set<std::uint32_t> homes;
    std::map<std::uint32_t, RoundFeedback> said;  // by partition: norms are summed in this order
  };

  std::vector<Table> tables_;
  std::uint32_t partitions_;
  std::map<RoundId, Open> open_;
};

}  // namespace rota
