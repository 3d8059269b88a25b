#include "apps/lda/shard_choice.h"

#include "rota/io/text_file.h"

namespace rota::lda {

std::uint32_t shards_for(std::uint64_t bytes) {
  constexpr std::uint64_t kBytesOfATask = 8 * 20'000, kSlicesOfAShard = 2;
  const auto fits = [&](std::uint64_t shards) { return bytes / kBytesOfATask >= shards * shards * kSlicesOfAShard; };
  std::uint32_t shards = kFewestShards;
  while (shards < kMostShards && fits(2 * std::uint64_t{shards})) shards *= 2;
  return shards;
}

ChosenShards choose_shards(const Job& job) {
  const std::uint64_t bytes = io::text_bytes(job.input);
  return {shards_for(bytes), std::to_string(bytes) + " bytes of text"};
}

}  // namespace rota::lda
