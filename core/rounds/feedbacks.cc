#include "core/rounds/feedbacks.h"

#include <string>

namespace rota {

Status Feedbacks::begin(const SharedRows& rows) {
  ROTA_TRY(check_rows(tables_, rows_of_round(rows)));
  const Table& table = tables_[rows.table];
  Open open{rows, homes_of(table, rows, partitions_of(table, rows, partitions_), partitions_), {}};
  open.rows.keys.clear();
  open.rows.blocks.clear();
  if (!open_.emplace(rows.round, std::move(open)).second) return {ExitCode::bug, "a round was given out twice"};
  return {};
}

Result<std::vector<RoundDeltas>> Feedbacks::add(std::uint32_t partition, const RoundFeedback& feedback) {
  const auto found = open_.find(feedback.round);
  if (found == open_.end() || !found->second.homes.contains(partition) ||
      !found->second.said.emplace(partition, feedback).second)
    return Status(ExitCode::bug, "no feedback of round " + std::to_string(feedback.round) + " was due from partition-" +
                                     std::to_string(partition));
  std::vector<RoundDeltas> whole;
  while (!open_.empty() && open_.begin()->second.said.size() == open_.begin()->second.homes.size()) {
    Open open = std::move(open_.extract(open_.begin()).mapped());
    RoundDeltas round;
    round.rows = std::move(open.rows);
    for (auto& [from, said] : open.said) {
      round.norms += said.norms;
      if (!said.reply.empty()) round.reply = std::move(said.reply);
    }
    whole.push_back(std::move(round));
  }
  return whole;
}

}  // namespace rota
