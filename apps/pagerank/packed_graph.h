// apps/pagerank/packed_graph.h -- the graph as data by shard.
//
//   common:     nodes, edges: varints; the first node of every shard, and at the end the number of nodes: varints
//               weight of each node's edges out: a count, then f64 each; names: a count of bytes, then a text each
//   of a shard: for each of its nodes: the number of edges to it: varint
//               their sources: a count, then u32 each; weights (or none): a count, then f64 each
#pragma once
#include <span>

#include "apps/pagerank/graph.h"
#include "rota/packed.h"

namespace rota::pagerank {

// REQUIRES: all shards are in `graph.hosted`, in their order.
void pack_graph(const Graph& graph, DataPacker& out);

// The result of read_graph() for the same input.  Throws DataError.
Graph unpack_graph(const PackedData& packed, std::uint32_t shards, std::span<const ShardId> hosted);

}  // namespace rota::pagerank
