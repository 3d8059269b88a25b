// core/rounds/placement.h -- where things live; shard_hosts.h has the shards.  Part of the contract between processes:
// all must agree.
#pragma once
#include <cstdint>
#include <optional>

#include "core/base/key_runs.h"
#include "rota/job.h"
#include "rota/types.h"

namespace rota {

// The partition of a shared row: a fixed mix of table and key (the finaliser of MurmurHash3), so that
// neighbouring keys spread evenly whatever the number of partitions.
inline std::uint32_t partition_of_row(TableId table, Key key, std::uint32_t partitions) {
  std::uint64_t h = key + (static_cast<std::uint64_t>(table) + 1) * 0x9e3779b97f4a7c15U;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdU;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53U;
  h ^= h >> 33;
  return static_cast<std::uint32_t>(h % partitions);
}

// The rows of tables with a single partition live here, and notes of open rounds go here.
inline constexpr std::uint32_t kSinglePartition = 0;

// Whether a partition is sent the notes of a round, and may reply to it.
inline bool takes_notes(const Table& table, bool open, std::uint32_t partition) {
  return partition == kSinglePartition && (table.single_partition || open);
}

// The rows of a dense table that live in a partition: neighbours are together, so that they are one run of numbers.
inline KeyRange range_of(const Table& table, std::uint32_t partition, std::uint32_t partitions) {
  if (table.single_partition) return partition == kSinglePartition ? KeyRange{0, table.keys} : KeyRange{};
  return {partition * table.keys / partitions, (partition + std::uint64_t{1}) * table.keys / partitions};
}

inline std::uint32_t home_of_row(const Table& table, TableId id, Key key, std::uint32_t partitions) {
  if (table.single_partition) return kSinglePartition;
  // The last partition whose range does not begin after the key.
  if (table.dense) return static_cast<std::uint32_t>(((key + 1) * partitions - 1) / table.keys);
  return partition_of_row(id, key, partitions);
}

// The partition that keeps a slice, a shard's state or a schedule's state in checkpoints.
inline std::uint32_t partition_of_object(std::uint64_t id, std::uint32_t partitions) {
  return static_cast<std::uint32_t>(id % partitions);
}

// The shard that holds a slice before the first round, in a new job and in a resumed one: the one that a rotation
// hands it to first.
inline ShardId home_shard(SliceId slice, std::uint32_t shards, std::uint32_t slices) {
  return static_cast<ShardId>((static_cast<std::uint64_t>(slice) * shards) / slices);
}

// The slice that a shard visits at a step of an evaluation's rotation, of max(shards, slices) steps: a slice has one
// visitor at a time, and each shard visits all of them.  None: it has a step off.
inline std::optional<SliceId> slice_at_step(ShardId shard, std::uint32_t step, std::uint32_t shards,
                                            std::uint32_t slices) {
  const std::uint32_t places = shards > slices ? shards : slices;
  const auto first = static_cast<std::uint32_t>(static_cast<std::uint64_t>(shard) * places / shards);
  const SliceId slice = (first + step) % places;
  return slice < slices ? std::optional(slice) : std::nullopt;
}

}  // namespace rota
