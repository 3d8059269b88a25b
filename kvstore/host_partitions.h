// kvstore/host_partitions.h -- the partitions of one process, embedded in a worker or in a rota-kvstore of its own.
#pragma once
#include <memory>
#include <vector>

#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/chunk_files.h"
#include "core/rounds/shard_hosts.h"
#include "core/runtime/member.h"
#include "kvstore/partition.h"

namespace rota {

// Adds a node for every partition that `welcome` places in `process`.
inline Status host_partitions(NodeId process, const Member& member, const Welcome& welcome,
                              std::vector<std::unique_ptr<Node>>& nodes) {
  ROTA_ASSIGN(const auto hosts, ShardHosts::from(welcome.shard_hosts, member.config.shards));
  const JobConfig& job = member.config;
  const bool apart = !job.own_disk.empty();
  const auto store = disk_checkpoints(apart ? job.own_disk : job.run.path, welcome.era, welcome.files);
  const auto own = apart ? disk_chunk_files(job.own_disk) : nullptr;
  for (std::uint32_t p = 0; p < welcome.partition_hosts.size(); ++p) {
    if (welcome.partition_hosts[p] != process) continue;
    nodes.push_back(std::make_unique<Partition>(PartitionSettings{p, hosts.workers()}, member.app, store, own));
  }
  return {};
}

}  // namespace rota
