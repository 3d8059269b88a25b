// apps/kmeans/talk.h -- the notes and replies of shards beside sums: rows that may become a centre, and the progress.
//
// A shard's note and pull's reply have the same type; the reply combines the notes of all shards.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "apps/kmeans/rows.h"
#include "rota/bytes.h"
#include "rota/fields.h"
#include "rota/types.h"

namespace rota::kmeans {

struct Candidate {
  double key = 0;  // the smallest wins
  ShardId shard = 0;
  std::uint32_t row = 0;               // of the shard
  std::vector<std::uint32_t> columns;  // its contents, if all shards need them
  std::vector<double> values;

  Row content() const { return {columns, values}; }
  void fields(auto& list) {
    list(key, shard, row, columns, values);
    list.check(columns.size() == values.size());
  }
};

struct Talk {
  std::uint32_t wanted = 0;  // how many candidates win
  std::uint64_t moved = 0;   // rows whose nearest centre is not that of their cluster
  double inertia = 0;
  std::vector<Candidate> candidates;
  // For each of the drawn rows: the sum of all rows' squared distances to the nearest centre if the row were one.
  std::vector<double> potentials;

  void fields(auto& list) { list(wanted, moved, inertia, candidates, potentials); }
  // Sums in the order of the shards, and the candidates with the smallest keys, the smallest first; of equal ones that
  // of the first shard, and of its first row.
  static Talk combined(std::span<const Bytes> notes);
};

// The key of a row in a draw of several rows without replacement, in proportion to their weights: -log(u) / weight,
// where u is uniform; the rows of the smallest keys are drawn (Efraimidis and Spirakis, "Weighted random sampling with
// a reservoir", Information Processing Letters 2006; theirs is u^(1/weight), the largest).  Every shard draws for its
// own rows, and the smallest keys overall win.  Rows without weight come last.
double draw_key(double u, double weight);

}  // namespace rota::kmeans
