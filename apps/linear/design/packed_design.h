// apps/linear/design/packed_design.h -- the design matrix as data by shard; its blocks as they are in memory.
//
//   common:     kind: u8 (0 ranges of columns, 1 ranges of rows); rows, columns, entries: varints; the first column
//               (row) of every shard, and at the end their number: varints; the smaller, the larger label: f64
//               of columns: response, weights (or none) of all rows, each a count, then f64 each
//   of a shard: its block; of rows: response, weights (or none) of its rows, each a count, then f64 each
//   a block:    form: u8 (0 sparse f32, 1 sparse f64, 2 dense f32, 3 dense f64); if sparse: a count, then for each
//               column: its number of entries: varint, and rows: a count, then u32 each; values: a count, then each
#pragma once
#include <cstdint>
#include <span>

#include "apps/linear/design/load.h"
#include "rota/packed.h"

namespace rota::linear {

// REQUIRE: all shards are in `data.hosted`, in their order.
void pack_columns(const ColumnShards& data, DataPacker& out);
void pack_rows(const RowShards& data, DataPacker& out);

// The results of load_columns() and load_rows() for the same input.  `classes`: the response is one of two classes.
// Throw
// DataError, or UsageError if the shards are ranges of the other kind.
ColumnShards unpack_columns(const PackedData& packed, bool classes, std::uint32_t shards,
                            std::span<const ShardId> hosted);
RowShards unpack_rows(const PackedData& packed, bool classes, std::uint32_t shards, std::span<const ShardId> hosted);

// All rows as one block, like a single shard of load_rows().
Columns unpack_whole(const PackedData& packed, Precision precision, std::uint32_t shards);

}  // namespace rota::linear
