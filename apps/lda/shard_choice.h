// apps/lda/shard_choice.h -- the number of shards of a corpus if the user does not choose it.
#pragma once
#include <cstdint>

#include "rota/plugin.h"

namespace rota::lda {

inline constexpr std::uint32_t kFewestShards = kUsualShards, kMostShards = 256;

// The largest power of two from kFewestShards to kMostShards with which a task (one shard's visit to one of two slices
// a shard) still has 20,000 entries of a corpus of this size, at 8 bytes an entry: with fewer the overhead of a task
// matters (bench/RESULTS.md, "How many shards").
std::uint32_t shards_for(std::uint64_t bytes);

// Of the input's files, decompressed.
ChosenShards choose_shards(const Job& job);

}  // namespace rota::lda
