#include "cli/shard_choice.h"

#include <cstdio>

#include "core/job/shard_choice.h"
#include "rota/utf8.h"

namespace rota {

Result<ChosenShards> choose_shards_and_tell(const Plugin& plugin, const Job& job) {
  auto chosen = choose_shards(plugin, job);
  if (chosen.ok() && !chosen->from.empty())
    std::fprintf(stderr, "rota: %u shards, chosen from %s\n", chosen->shards, visible_text(chosen->from).c_str());
  return chosen;
}

}  // namespace rota
