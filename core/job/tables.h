// core/job/tables.h -- a plugin's tables and dataflows, checked.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "rota/app.h"
#include "rota/dataflow.h"
#include "rota/job.h"

namespace rota {

// What a table may have of numbers if all of its rows are there: more is a mistake, or a table that is not for this.
inline constexpr std::uint64_t kDenseNumbersMost = std::uint64_t{1} << 34;

// Whether the tables can be: an error, the plugin's fault, if one that is dense or started is not a shared one, or has
// more numbers than a process should keep.
Status check_tables(const std::vector<Table>& tables);

// Workers that share what the job keeps in memory; 1 on a serial host.
double workers_of(const Job& job);

// Why a job is refused: `what` takes more of each worker's memory than there is; `most`: of what largest part.
std::string beyond_memory(const Job& job, const std::string& what, double bytes, const std::string& most = "");

// The app's tables, before anything of them is there.  Throws std::runtime_error if they cannot be, and UsageError if
// the workers have too little memory for them.
std::vector<Table> tables_of(const App& app, const Job& job, const Facts& facts);

// In a new job: calls f(table, key, row) for every row of the tables that are `started`, in the order of tables and
// keys, with its starting value.  Throws what App::start_row throws.
void for_each_starting_row(const App& app, const Facts& facts, const std::vector<Table>& tables, std::uint64_t seed,
                           const std::function<void(TableId, Key, std::span<const double>)>& f);

struct Routes {
  using OfShards = std::vector<std::vector<ShardId>>;  // by shard, ascending
  std::vector<OfShards> receivers, senders;            // by step

  std::uint32_t steps() const { return static_cast<std::uint32_t>(receivers.size()); }
};

// Of all the app's dataflows.  Throws std::runtime_error if one cannot be: it has no step, or names a shard that there
// is not, or a receiver twice, or in another order, or the sender.
std::vector<Routes> routes_of(const App& app, const Facts& facts, std::uint32_t shards);

}  // namespace rota
