#include "core/rounds/rules.h"

#include <algorithm>
#include <string>

#include "core/base/tree.h"

namespace rota {

namespace {

Status broken(RoundId id, const std::string& what) {
  return {ExitCode::failed, "schedule, round " + std::to_string(id) + ": " + what};
}

Status check_slices(RoundId id, const Round& round, std::size_t shards, std::size_t slices) {
  if (round.owned.empty()) return {};
  if (round.owned.size() != shards)
    return broken(id, "slices for " + std::to_string(round.owned.size()) + " of " + std::to_string(shards) + " shards");
  std::vector<bool> taken(slices);
  for (const auto& slice : round.owned) {
    if (!slice) continue;
    if (*slice >= slices) return broken(id, "no slice " + std::to_string(*slice));
    if (taken[*slice]) return broken(id, "slice " + std::to_string(*slice) + " is given to two shards");
    taken[*slice] = true;
  }
  return {};
}

}  // namespace

Status check_rows(const std::vector<Table>& tables, const RoundRows& rows) {
  if (rows.table >= tables.size() || tables[rows.table].kind != Table::Kind::shared)
    return broken(rows.round, "table " + std::to_string(rows.table) + " is not a shared table");
  const Table& table = tables[rows.table];
  if (rows.open) {
    if (!table.dense) return broken(rows.round, "it is open, and table " + table.name + " is not dense");
    if (!rows.keys.empty() || !rows.blocks.empty()) return broken(rows.round, "it is open, and names rows");
    return {};
  }
  if (!table.single_partition && rows.keys.empty())
    return broken(rows.round, "no row is named, and table " + table.name + " spans partitions");
  if (!rows.blocks.empty()) {
    if (!table.single_partition) return broken(rows.round, "blocks, and table " + table.name + " spans partitions");
    std::uint64_t sum = 0;
    for (const std::uint32_t size : rows.blocks) sum += size;
    if (sum != rows.keys.size()) return broken(rows.round, "its blocks hold another number of rows");
  }
  for (const Key key : rows.keys)
    if (key >= table.keys) return broken(rows.round, "table " + table.name + " has no row " + std::to_string(key));
  return {};
}

Status check_round(RoundId id, const Round& round, const std::vector<Table>& tables, std::size_t shards,
                   std::size_t slices) {
  if (is_shared(round)) ROTA_TRY(check_rows(tables, rows_of_round(id, round)));
  if (round.dataflow && (!round.shared.empty() || round.open || !round.owned.empty()))
    return broken(id, "an exchange with shared rows or slices");
  ROTA_TRY(check_slices(id, round, shards, slices));
  std::vector<Key> sorted = round.shared;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return broken(id, "a shared row is named twice");
  return {};
}

Status check_dataflow(RoundId id, const Round& round, std::size_t dataflows) {
  if (!round.dataflow || *round.dataflow < dataflows) return {};
  return broken(id, "no dataflow " + std::to_string(*round.dataflow));
}

std::vector<std::size_t> part_offsets(const Table& table, const RoundRows& rows) {
  std::vector<std::size_t> offsets{0};
  offsets.reserve(rows.keys.size() + 1);
  const auto add = [&](std::size_t place) {
    offsets.push_back(offsets.back() + table.part_width + place * table.block_width);
  };
  if (rows.blocks.empty()) {
    for (std::size_t i = 0; i < rows.keys.size(); ++i) add(0);
  } else {
    for (const std::uint32_t size : rows.blocks)
      for (std::uint32_t place = 0; place < size; ++place) add(place);
  }
  return offsets;
}

std::vector<double> sum_over_tree(const Leaves& leaves, std::size_t numbers, Combine how) {
  if (leaves.empty()) return std::vector<double>(numbers);
  TreeSum sum(static_cast<std::uint32_t>(leaves.size()));
  for (std::uint32_t i = 0; i < leaves.size(); ++i) {
    const bool added = sum.add({0, i}, leaves[i], how);
    ROTA_CHECK(added);
  }
  return std::move(*sum.total());
}

std::vector<double> sum_of_terms(const std::array<const Leaves*, 3>& kinds, std::size_t terms) {
  std::vector<double> total(terms, 0.0);
  for (const Leaves* const leaves : kinds) {
    const std::vector<double> sum = sum_over_tree(*leaves, terms);
    for (std::size_t i = 0; i < terms; ++i) total[i] += sum[i];
  }
  return total;
}

}  // namespace rota
