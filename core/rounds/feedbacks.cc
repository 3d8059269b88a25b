#include "core/rounds/feedbacks.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/rounds/placement.h"

namespace rota {

Status Feedbacks::begin(const SharedRows& rows) {
  ROTA_TRY(check_rows(tables_, rows_of_round(rows)));
  const Table& table = tables_[rows.table];
  Open open{rows, partitions_of(table, rows, partitions_), {}, {}};
  open.homes = homes_of(table, rows, open.partition_of, partitions_);
  open.rows.blocks.clear();
  if (wish_ != Feedback::changes) open.rows.keys.clear();
  if (!open_.emplace(rows.round, std::move(open)).second) return {ExitCode::bug, "a round was given out twice"};
  return {};
}

Result<std::vector<RoundDeltas>> Feedbacks::add(std::uint32_t partition, const RoundFeedback& feedback) {
  const auto found = open_.find(feedback.round);
  const auto refused = [&](const std::string& why) {
    return Status(ExitCode::bug, why + " of round " + std::to_string(feedback.round) + " was due from partition-" +
                                     std::to_string(partition));
  };
  if (found == open_.end() || !found->second.homes.contains(partition)) return refused("no feedback");
  if (!fits(found->second, partition, feedback)) return refused("other feedback");
  if (!found->second.reported.emplace(partition, feedback).second) return refused("no more feedback");
  std::vector<RoundDeltas> whole;
  while (!open_.empty() && open_.begin()->second.reported.size() == open_.begin()->second.homes.size())
    whole.push_back(join(std::move(open_.extract(open_.begin()).mapped())));
  return whole;
}

bool Feedbacks::fits(const Open& open, std::uint32_t partition, const RoundFeedback& feedback) const {
  if (wish_ != Feedback::changes) return feedback.values.empty() && feedback.changes.empty() && feedback.runs.empty();
  const Table& table = tables_[open.rows.table];
  const auto named = static_cast<std::uint64_t>(std::ranges::count(open.partition_of, partition));
  if (open.rows.open ? !runs_fit(feedback.runs, range_of(table, partition, partitions_)) : !feedback.runs.empty())
    return false;
  const std::uint64_t rows = open.rows.open ? keys_in(feedback.runs) : named;
  const std::uint64_t bytes = rows * table.row_width * sizeof(double);
  return feedback.values.size() == bytes && feedback.changes.size() == bytes;
}

// The rows in the order in which the schedule named them; those of an open round by key, which is by partition.
RoundDeltas Feedbacks::join(Open open) const {
  RoundDeltas out;
  out.width = tables_[open.rows.table].row_width;
  std::map<std::uint32_t, std::size_t> taken;  // bytes of a partition's rows
  const auto append = [&](std::uint32_t partition, std::size_t bytes) {
    const RoundFeedback& from = open.reported.at(partition);
    std::size_t& at = taken[partition];
    for (const auto& [bytes_in, numbers] : {std::pair(&from.values, &out.values), {&from.changes, &out.changes}}) {
      numbers->resize(numbers->size() + bytes / sizeof(double));
      std::memcpy(numbers->data() + numbers->size() - bytes / sizeof(double), bytes_in->view().data() + at, bytes);
    }
    at += bytes;
  };
  if (wish_ == Feedback::changes && out.width > 0 && !open.rows.open)
    for (const std::uint32_t partition : open.partition_of) append(partition, out.width * sizeof(double));
  for (auto& [partition, from] : open.reported) {
    for_each_key(from.runs, [&](Key key) { open.rows.keys.push_back(key); });
    if (open.rows.open && !from.values.empty()) append(partition, from.values.size());
    out.norms += from.norms;
    if (!from.reply.empty()) out.reply = std::move(from.reply);
  }
  out.rows = std::move(open.rows);
  return out;
}

}  // namespace rota
