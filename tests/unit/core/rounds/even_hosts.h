// tests/unit/core/rounds/even_hosts.h -- shards in equal parts for workers 0, 1, ...
#pragma once
#include <numeric>
#include <vector>

#include "core/rounds/shard_hosts.h"

namespace rota::tests {

inline ShardHosts even_hosts(std::uint32_t workers, std::uint32_t shards) {
  std::vector<std::uint32_t> all(workers);
  std::iota(all.begin(), all.end(), 0U);
  return ShardHosts::even(all, shards);
}

}  // namespace rota::tests
