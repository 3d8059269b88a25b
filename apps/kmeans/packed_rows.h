// apps/kmeans/packed_rows.h -- the rows as data by shard.
//
//   common:     rows, columns: varints; the columns' names: a count, then texts
//   of a shard: a count, then for each row: its number of entries: varint
//               columns: a count, then u32 each; values: a count, then f64 each
#pragma once
#include <cstdint>
#include <span>

#include "apps/kmeans/rows.h"
#include "rota/packed.h"

namespace rota::kmeans {

// REQUIRES: all shards are in `data.hosted`, in their order.
void pack_shards(const RowShards& data, DataPacker& out);

// The result of read_shards() for the same input.  Throws DataError.
RowShards unpack_shards(const PackedData& packed, std::uint32_t shards, std::span<const ShardId> hosted);

}  // namespace rota::kmeans
