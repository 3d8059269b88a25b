#include "cli/commands/shard_choice.h"

#include <cstdio>
#include <string>

#include "core/job/plugin_host.h"
#include "rota/utf8.h"

namespace rota {

Result<ChosenShards> choose_shards(const Plugin& plugin, const Job& job) {
  constexpr std::uint32_t kMost = 65'536;  // that --shards takes
  ChosenShards chosen;
  if (plugin.choose_shards == nullptr) return chosen;
  ROTA_TRY(call_hook(plugin.name, "choose_shards", "", [&] { chosen = plugin.choose_shards(job); }));
  if (chosen.shards == 0 || chosen.shards > kMost)
    return Status(ExitCode::bug, "plugin " + std::string(plugin.name) + ": choose_shards chose " +
                                     std::to_string(chosen.shards) + ", and a job has 1 to " + std::to_string(kMost));
  if (!chosen.from.empty())
    std::fprintf(stderr, "rota: %u shards, chosen from %s\n", chosen.shards, visible_text(chosen.from).c_str());
  return chosen;
}

}  // namespace rota
