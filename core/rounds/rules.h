// core/rounds/rules.h -- the rules of a job that decide bits or legality, for the roles and the serial host alike.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/status.h"
#include "rota/job.h"
#include "rota/round.h"

namespace rota {

// The shared rows of a round, as the schedule named them.
struct RoundRows {
  RoundId round = 0;
  TableId table = 0;
  std::span<const Key> keys;
  std::span<const std::uint32_t> blocks;
  bool open = false;
};
inline RoundRows rows_of_round(RoundId id, const Round& round) {
  return {id, round.table, round.shared, round.blocks, round.open};
}

// Errors of these are the schedule's: ExitCode::failed, "schedule, round N: ...".

// The table is a shared one and has the rows; blocks fit; an open round's table is dense.
Status check_rows(const std::vector<Table>& tables, const RoundRows& rows);
// The round as a whole: its rows, none of them named twice; each slice exists and is given to one shard; an exchange
// has neither rows nor slices.
Status check_round(RoundId id, const Round& round, const std::vector<Table>& tables, std::size_t shards,
                   std::size_t slices);
// An exchange goes along one of the app's dataflows.
Status check_dataflow(RoundId id, const Round& round, std::size_t dataflows);

// Where each row's part begins among the numbers of a round, and at the end how many numbers there are.  REQUIRES rows
// that were checked.
std::vector<std::size_t> part_offsets(const Table& table, const RoundRows& rows);

// How many rounds must be fed back before the next choice of a scheduler that has chosen k rounds: with a pipeline
// of d > 0, max(0, k - d + 1).
inline std::uint64_t feedback_due(std::uint64_t chosen, std::uint64_t pipeline) {
  return pipeline == 0 || chosen < pipeline ? 0 : chosen - pipeline + 1;
}

// What several schedulers say of an epoch: it converged, or ends the job, if all that say anything say so.
inline void merge_answers(std::optional<bool>& all, std::optional<bool> one) {
  if (one) all = all.value_or(true) && *one;
}

// One vector of numbers from each shard, slice or partition, in the order of their indices; all of one size.
using Leaves = std::vector<std::vector<double>>;
// Over the fixed tree, so that the bits depend on nothing but the leaves; zeros if there are none.
std::vector<double> sum_over_tree(const Leaves& leaves, std::size_t numbers, Combine how = Combine::sum);
// The terms of an evaluation, from shards, slices and partitions: each kind over its tree, then added in this order.
std::vector<double> sum_of_terms(const std::array<const Leaves*, 3>& kinds, std::size_t terms);

}  // namespace rota
