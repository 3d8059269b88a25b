#include "worker/next_worker.h"

#include <utility>

namespace rota {

Result<std::unique_ptr<Worker>> next_worker(WorkerSettings settings, const Welcome& welcome, std::uint32_t shards,
                                            Host::Nodes before,
                                            const std::function<Result<std::shared_ptr<const HostedApp>>()>& make_app) {
  auto hosts = ShardHosts::from(welcome.shard_hosts, shards);
  if (!hosts.ok()) return hosts.status();
  settings.hosts = *std::move(hosts);
  std::optional<Prepared> prepared;
  for (const auto& node : before)
    if (auto* worker = dynamic_cast<Worker*>(node.get())) prepared = worker->take_prepared(welcome.resume.has_value());
  before.clear();
  if (prepared) return std::make_unique<Worker>(std::move(settings), *std::move(prepared));
  auto app = make_app();
  if (!app.ok()) return app.status();
  return std::make_unique<Worker>(std::move(settings), *std::move(app));
}

}  // namespace rota
