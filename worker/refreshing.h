// worker/refreshing.h -- the commits that a shard hears of before its next step.
#pragma once
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "rota/push.h"
#include "worker/commit_backlog.h"

namespace rota {

struct Refreshing {
  std::vector<CommitBacklog::Round> rounds = {};  // in their order

  bool empty() const { return rounds.empty(); }
  // Called on a compute thread.  `where` names the shard.
  Status run(std::string_view plugin, const std::string& where, Push& push) const;
};

}  // namespace rota
