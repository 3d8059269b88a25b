#include "worker/refreshing.h"

#include <string>

#include "core/job/plugin_host.h"

namespace rota {

Status Refreshing::run(std::string_view plugin, const std::string& where, Push& push) const {
  for (const CommitBacklog::Round& round : rounds) {
    const std::vector<Delta> deltas = round->deltas();
    ROTA_TRY(call_hook(plugin, "Push::refresh", "round " + std::to_string(round->rows.round) + ", " + where,
                       [&] { push.refresh(round->commit(deltas)); }));
  }
  return {};
}

}  // namespace rota
