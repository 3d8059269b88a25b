// apps/kmeans/hooks.h -- the three steps of Lloyd's k-means.  README.md has the mathematics, and the rounds.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/kmeans/commands.h"
#include "apps/kmeans/rounds.h"
#include "rota/io/row_files.h"
#include "rota/io/sparse_matrix.h"
#include "rota/plugin.h"
#include "rota/shards.h"

namespace rota::kmeans {

// Decides what the rounds of an epoch are for, and when a start ends.
std::unique_ptr<Schedule> kmeans_schedule(const Settings& settings);

// A shard's rows, as they are loaded.
struct Data : io::SparseMatrix {
  std::uint64_t items() const { return rows; }
  bool fits(const io::RowsSize& all, const Job& job, ShardId shard) const {
    return rows == dealt_to(shard, all.rows, job.shards) && columns <= all.columns;
  }
};

// Draw rows, find their nearest centres, and move them.  `columns`: of the data.  Throws DataError if --centres names a
// file of other centres.
std::vector<std::unique_ptr<Push>> kmeans_pushes(const Settings& settings, std::uint64_t columns,
                                                 std::span<const ShardId> hosted, std::vector<Data> rows);

// Combines the notes and the sums of all shards.
std::unique_ptr<Pull> kmeans_pull(std::uint32_t clusters);

}  // namespace rota::kmeans
