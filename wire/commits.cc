#include "wire/commits.h"

#include <algorithm>
#include <cstring>

#include "wire/placement.h"

namespace rota {

std::vector<Delta> RoundDeltas::views() const {
  std::vector<Delta> views;
  const std::size_t width = keys.empty() ? 0 : values.size() / keys.size();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    views.push_back(
        {table, keys[i], std::span(values).subspan(i * width, width), std::span(changes).subspan(i * width, width)});
  }
  return views;
}

Status Commits::begin(const SharedRows& rows) {
  const auto broken = [&](const std::string& what) {
    return Status(ExitCode::failed, "schedule, round " + std::to_string(rows.round) + ": " + what);
  };
  if (rows.table >= tables_.size() || tables_[rows.table].kind != Table::Kind::shared)
    return broken("table " + std::to_string(rows.table) + " is not a shared table");
  const Table& table = tables_[rows.table];
  Open open{rows, {}, {}, std::vector<double>(rows.keys.size() * table.row_width)};
  for (const Key key : rows.keys) {
    if (key >= table.keys) return broken("table " + table.name + " has no row " + std::to_string(key));
    open.partition_of.push_back(partition_of_row(rows.table, key, partitions_));
    open.due.insert(open.partition_of.back());
  }
  if (!open_.emplace(rows.round, std::move(open)).second) return {ExitCode::bug, "a round was given out twice"};
  return {};
}

std::vector<double> Commits::values(RoundId round) const {
  const SharedRows& rows = open_.at(round).rows;
  const std::size_t width = tables_[rows.table].row_width;
  std::vector<double> values(rows.keys.size() * width, 0.0);
  for (std::size_t i = 0; i < rows.keys.size(); ++i) {
    const auto row = replica_[rows.table].find(rows.keys[i]);
    if (row != replica_[rows.table].end()) std::copy(row->second.begin(), row->second.end(), values.data() + i * width);
  }
  return values;
}

Status Commits::restore(const Deltas& deltas) {
  const SharedRows& rows = deltas.rows;
  if (rows.table >= tables_.size() || tables_[rows.table].kind != Table::Kind::shared)
    return {ExitCode::bug, "rows of an unknown table"};
  const std::size_t bytes = tables_[rows.table].row_width * sizeof(double);
  if (deltas.values.size() != rows.keys.size() * bytes) return {ExitCode::bug, "restored rows of another width"};
  for (std::size_t i = 0; i < rows.keys.size(); ++i) {
    auto& row = replica_[rows.table][rows.keys[i]];
    row.resize(tables_[rows.table].row_width);
    std::memcpy(row.data(), deltas.values.view().data() + i * bytes, bytes);
  }
  ++restorations_;
  return {};
}

bool Commits::restored() const {
  const auto shared = std::count_if(tables_.begin(), tables_.end(),
                                    [](const Table& table) { return table.kind == Table::Kind::shared; });
  return restorations_ == static_cast<std::size_t>(shared) * partitions_;
}

Result<std::vector<RoundDeltas>> Commits::commit(std::uint32_t partition, const Deltas& deltas) {
  const auto unexpected = [&](const char* what) {
    return Status(ExitCode::bug, std::string(what) + " in the commit of round " + std::to_string(deltas.rows.round) +
                                     " by partition-" + std::to_string(partition));
  };
  const auto found = open_.find(deltas.rows.round);
  if (found == open_.end() || found->second.due.erase(partition) == 0) return unexpected("nothing due");
  Open& open = found->second;
  const std::size_t width = tables_[open.rows.table].row_width;
  if (deltas.values.size() != deltas.rows.keys.size() * width * sizeof(double))
    return unexpected("rows of another width");
  std::size_t taken = 0;
  for (std::size_t i = 0; i < open.rows.keys.size(); ++i) {
    if (open.partition_of[i] != partition) continue;
    if (taken == deltas.rows.keys.size() || deltas.rows.keys[taken] != open.rows.keys[i])
      return unexpected("other rows");
    std::memcpy(open.values.data() + i * width, deltas.values.view().data() + taken * width * sizeof(double),
                width * sizeof(double));
    ++taken;
  }
  if (taken != deltas.rows.keys.size() || deltas.rows.table != open.rows.table) return unexpected("other rows");
  std::vector<RoundDeltas> whole;
  while (!open_.empty() && open_.begin()->second.due.empty())
    whole.push_back(give(std::move(open_.extract(open_.begin()).mapped())));
  return whole;
}

RoundDeltas Commits::give(Open open) {
  const std::size_t width = tables_[open.rows.table].row_width;
  RoundDeltas deltas{open.rows.round, open.rows.table, std::move(open.rows.keys), std::move(open.values), {}};
  deltas.changes.reserve(deltas.values.size());
  for (std::size_t i = 0; i < deltas.keys.size(); ++i) {
    auto& row = replica_[deltas.table][deltas.keys[i]];
    row.resize(width);
    for (std::size_t k = 0; k < width; ++k) {
      const double value = deltas.values[i * width + k];
      deltas.changes.push_back(value - row[k]);
      row[k] = value;
    }
  }
  return deltas;
}

}  // namespace rota
