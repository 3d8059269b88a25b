// core/rounds/feedbacks.h -- puts together what the partitions report of a scheduler's rounds.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/base/status.h"
#include "core/rounds/commits.h"
#include "core/wire/message.h"
#include "rota/job.h"
#include "rota/schedule.h"

namespace rota {

// As with Commits, rounds are given out whole and in their own order, whichever partition was first.  No row of a table
// is kept: partitions report values and changes, if the schedule requests them.
class Feedbacks {
 public:
  Feedbacks(std::vector<Table> tables, std::uint32_t partitions, Feedback wish)
      : tables_(std::move(tables)), partitions_(partitions), wish_(wish) {}

  // A round is out.  An error if check_rows finds one.
  Status begin(const SharedRows& rows);
  // What a partition reports; gives the rounds that are whole now.  An error if it was not due or does not fit.
  Result<std::vector<RoundDeltas>> add(std::uint32_t partition, const RoundFeedback& feedback);

 private:
  struct Open {
    SharedRows rows;
    std::vector<std::uint32_t> partition_of;
    std::set<std::uint32_t> homes;
    std::map<std::uint32_t, RoundFeedback> reported;  // by partition: norms are summed in this order
  };

  bool fits(const Open& open, std::uint32_t partition, const RoundFeedback& feedback) const;
  RoundDeltas join(Open open) const;

  std::vector<Table> tables_;
  std::uint32_t partitions_;
  Feedback wish_;
  std::map<RoundId, Open> open_;
};

}  // namespace rota
