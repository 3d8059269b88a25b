#include "core/rounds/commits.h"

#include <cstring>
#include <string>
#include <unordered_map>

#include "core/rounds/placement.h"

namespace rota {

std::vector<Delta> RoundDeltas::deltas() const {
  std::vector<Delta> out;
  if (in_view || (values.empty() && width > 0)) return out;  // a view, or a schedule that requests no changes
  out.reserve(rows.keys.size());
  for (std::size_t i = 0; i < rows.keys.size(); ++i)
    out.push_back(
        {rows.keys[i], std::span(values).subspan(i * width, width), std::span(changes).subspan(i * width, width)});
  return out;
}

std::vector<std::uint32_t> partitions_of(const Table& table, const SharedRows& rows, std::uint32_t partitions) {
  std::vector<std::uint32_t> partition_of;
  partition_of.reserve(rows.keys.size());
  for (const Key key : rows.keys) partition_of.push_back(home_of_row(table, rows.table, key, partitions));
  return partition_of;
}

std::set<std::uint32_t> homes_of(const Table& table, const SharedRows& rows,
                                 const std::vector<std::uint32_t>& partition_of, std::uint32_t partitions) {
  if (table.single_partition) return {kSinglePartition};
  std::set<std::uint32_t> homes(partition_of.begin(), partition_of.end());
  if (rows.open)
    for (std::uint32_t p = 0; p < partitions; ++p) homes.insert(p);
  return homes;
}

std::map<std::uint32_t, KeyRange> ranges_of(const Table& table, std::uint32_t partitions) {
  std::map<std::uint32_t, KeyRange> ranges;
  const std::uint32_t count = table.single_partition ? kSinglePartition + 1 : partitions;
  for (std::uint32_t p = 0; p < count; ++p) ranges[p] = range_of(table, p, partitions);
  return ranges;
}

Commits::Commits(std::vector<Table> tables, std::uint32_t partitions)
    : tables_(std::move(tables)), partitions_(partitions) {
  for (const Table& table : tables_) replica_.emplace_back(table.row_width);
}

Status Commits::begin(const SharedRows& rows) {
  ROTA_TRY(check_rows(tables_, rows_of_round(rows)));
  const Table& table = tables_[rows.table];
  Open open{rows, rota::partitions_of(table, rows, partitions_), {}, {}, {}, {}};
  open.due = homes_of(table, rows, open.partition_of, partitions_);
  if (!open_.emplace(rows.round, std::move(open)).second) return {ExitCode::bug, "a round was given out twice"};
  return {};
}

std::vector<double> Commits::values(RoundId round, std::span<const std::shared_ptr<const RoundDeltas>> unseen) const {
  const SharedRows& rows = open_.at(round).rows;
  const std::size_t width = tables_[rows.table].row_width;
  std::vector<double> values(rows.keys.size() * width, 0.0);
  std::unordered_map<Key, std::size_t> place;
  for (std::size_t i = 0; i < rows.keys.size(); ++i) {
    if (const auto row = replica_[rows.table].find(rows.keys[i]))
      std::copy(row->begin(), row->end(), values.data() + i * width);
    if (!unseen.empty()) place.emplace(rows.keys[i], i);
  }
  // Back in time: what the earliest unseen round found is what stands.
  for (std::size_t u = unseen.size(); u-- > 0;) {
    const RoundDeltas& later = *unseen[u];
    if (later.rows.table != rows.table) continue;
    for (std::size_t i = 0; i < later.rows.keys.size(); ++i) {
      const auto found = place.find(later.rows.keys[i]);
      if (found != place.end())
        std::copy_n(later.before.data() + i * width, width, values.data() + found->second * width);
    }
  }
  return values;
}

Status Commits::restore(const Deltas& deltas) {
  const SharedRows& rows = deltas.rows;
  if (rows.table >= tables_.size() || tables_[rows.table].kind != Table::Kind::shared)
    return {ExitCode::bug, "rows of an unknown table"};
  const std::size_t bytes = tables_[rows.table].row_width * sizeof(double);
  if (deltas.values.size() != rows.keys.size() * bytes) return {ExitCode::bug, "restored rows of another width"};
  for (const Key key : rows.keys)
    if (key >= tables_[rows.table].keys) return {ExitCode::bug, "a restored row that its table does not have"};
  if (deltas.last) ++restorations_;
  if (tables_[rows.table].dense) return {};
  for (std::size_t i = 0; i < rows.keys.size(); ++i) {
    const std::span<double> row = replica_[rows.table].at(rows.keys[i]);
    if (bytes > 0) std::memcpy(row.data(), deltas.values.view().data() + i * bytes, bytes);
  }
  return {};
}

Result<std::vector<RoundDeltas>> Commits::commit(std::uint32_t partition, const Deltas& deltas) {
  const auto found = open_.find(deltas.rows.round);
  const bool due = found != open_.end() && found->second.due.erase(partition) > 0;
  const Status taken = !due                      ? Status(ExitCode::bug, "nothing due")
                       : found->second.rows.open ? take_open(found->second, partition, deltas)
                                                 : take_named(found->second, partition, deltas);
  if (!taken.ok())
    return Status(taken.code(), taken.what() + " in the commit of round " + std::to_string(deltas.rows.round) +
                                    " by partition-" + std::to_string(partition));
  std::vector<RoundDeltas> whole;
  while (!open_.empty() && open_.begin()->second.due.empty())
    whole.push_back(give(std::move(open_.extract(open_.begin()).mapped())));
  return whole;
}

Status Commits::take_named(Open& open, std::uint32_t partition, const Deltas& deltas) const {
  const auto unexpected = [](const char* what) { return Status(ExitCode::bug, what); };
  const std::size_t width = tables_[open.rows.table].row_width;
  if (deltas.values.size() != deltas.rows.keys.size() * width * sizeof(double))
    return unexpected("rows of another width");
  open.values.resize(open.rows.keys.size() * width);  // not before a commit comes: many rounds may be out
  std::size_t taken = 0;
  for (std::size_t i = 0; i < open.rows.keys.size(); ++i) {
    if (open.partition_of[i] != partition) continue;
    if (taken == deltas.rows.keys.size() || deltas.rows.keys[taken] != open.rows.keys[i])
      return unexpected("other rows");
    if (width > 0)
      std::memcpy(open.values.data() + i * width, deltas.values.view().data() + taken * width * sizeof(double),
                  width * sizeof(double));
    ++taken;
  }
  if (taken != deltas.rows.keys.size() || deltas.rows.table != open.rows.table || deltas.rows.open ||
      !deltas.runs.empty())
    return unexpected("other rows");
  if (!deltas.reply.empty()) {
    if (!tables_[open.rows.table].single_partition) return unexpected("a reply");
    open.reply = deltas.reply;
  }
  return {};
}

Status Commits::take_open(Open& open, std::uint32_t partition, const Deltas& deltas) const {
  const auto unexpected = [](const char* what) { return Status(ExitCode::bug, what); };
  const Table& table = tables_[open.rows.table];
  if (deltas.rows.table != open.rows.table || !deltas.rows.open || !deltas.rows.keys.empty() ||
      !runs_fit(deltas.runs, range_of(table, partition, partitions_)))
    return unexpected("other rows");
  if (deltas.values.size() != keys_in(deltas.runs) * table.row_width * sizeof(double))
    return unexpected("rows of another width");
  if (!deltas.reply.empty()) {
    if (!takes_notes(table, true, partition)) return unexpected("a reply");
    open.reply = deltas.reply;
  }
  open.committed[partition] = {deltas.runs, deltas.values};
  return {};
}

RoundDeltas Commits::give(Open open) {
  const std::size_t width = tables_[open.rows.table].row_width;
  RoundDeltas out{std::move(open.rows), width, {}, std::move(open.values), {}, std::move(open.reply)};
  out.in_view = tables_[out.rows.table].dense;
  if (out.in_view) {
    for (auto& [partition, rows] : open.committed) out.open.push_back(std::move(rows));
    return out;
  }
  out.before.reserve(out.values.size());
  out.changes.reserve(out.values.size());
  for (std::size_t i = 0; i < out.rows.keys.size(); ++i) {
    const std::span<double> row = replica_[out.rows.table].at(out.rows.keys[i]);
    for (std::size_t k = 0; k < width; ++k) {
      const double value = out.values[i * width + k];
      out.before.push_back(row[k]);
      out.changes.push_back(value - row[k]);
      row[k] = value;
    }
  }
  return out;
}

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
